"""GRU and LSTM with a bias give a number for an input of NaN, in ONNX Runtime 1.32.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

X = np.full((1, 1, 1), np.nan, np.float32)
wrong = False
for operator, gates in (("GRU", 3), ("LSTM", 4)):
    shapes = {"w": (1, gates, 1), "r": (1, gates, 1), "b": (1, 2 * gates)}
    weights = [helper.make_tensor(k, TensorProto.FLOAT, s, np.ones(s).ravel()) for k, s in shapes.items()]
    layer = helper.make_node(operator, ["x", "w", "r", "b"], ["", "h"], hidden_size=1)
    x, h = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, 1]) for name in "xh")
    graph = helper.make_graph([layer], "layer", [x], [h], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (result,) = session.run(None, {"x": X})
    print(f"{operator} of NaN: {result.item()}")
    wrong = wrong or not np.isnan(result).all()
sys.exit(wrong)
