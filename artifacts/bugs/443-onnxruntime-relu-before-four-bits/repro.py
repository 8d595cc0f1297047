"""Relu before QuantizeLinear to int4 or float8 is removed, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, parser

x = np.array([-3, -1, 2, 5], np.float32)


def run(kind, disabled):
    model = parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 21]>
        relu (float[4] x) => (float[4] y) <float scale = {1.0}> {
            positive = Relu (x)
            quantized = QuantizeLinear (positive, scale, zero)
            y = DequantizeLinear (quantized, scale, zero)
        }
    """)
    model.graph.initializer.append(helper.make_tensor("zero", kind, [], [0]))
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), disabled_optimizers=disabled)
    return session.run(None, {"x": x})[0].tolist()


shows = False
for kind in TensorProto.INT8, TensorProto.INT4, TensorProto.FLOAT8E4M3FN:
    right, given = run(kind, ["ReluQuantRewrite"]), run(kind, [])
    print(f"{TensorProto.DataType.Name(kind)}: without the rule {right}, default {given}")
    shows |= right == [0, 0, 2, 5] and given != right
sys.exit(shows)
