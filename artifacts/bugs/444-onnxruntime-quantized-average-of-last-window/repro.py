"""Quantized AveragePool with ceil_mode divides the last window wrongly, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 19]>
    average (uint8[1, 1, 1, 3] x) => (uint8[1, 1, 1, 2] y)
    <float scale = {1.0}, uint8 zero = {0}> {
        numbers = DequantizeLinear (x, scale, zero)
        means = AveragePool <kernel_shape = [1, 2], strides = [1, 2], ceil_mode = 1, count_include_pad = 1> (numbers)
        y = QuantizeLinear (means, scale, zero)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([[[[10, 20, 30]]]], np.uint8)


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return session.run(None, {"x": x})[0].ravel().tolist()


right, given = run(["QDQSelectorActionTransformer"]), run([])
print("without the transformer:", right)
print("default:                ", given)
sys.exit(right == [15, 30] and given == [15, 15])
