"""Unique loses numbers that follow a NaN, in ONNX Runtime 1.32.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime as ort
from onnx import TensorProto, helper

X = np.array([np.nan, 1, 2], np.float32)
node = helper.make_node("Unique", ["x"], ["y", "", "", "n"])
x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [None]) for name in "xy")
n = helper.make_tensor_value_info("n", TensorProto.INT64, [None])
model = helper.make_model(
    helper.make_graph([node], "unique", [x], [y, n]), opset_imports=[helper.make_opsetid("", 11)], ir_version=8
)
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
values, counts = session.run(None, {"x": X})
print(f"the distinct elements of {X.tolist()}: {values.tolist()}, found {counts.tolist()} times")
sys.exit(not {1.0, 2.0} <= {*values.tolist()})
