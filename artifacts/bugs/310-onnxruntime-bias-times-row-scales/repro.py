"""A bias behind a product of integers with a scale for each row is scaled, too, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    linear (int8[2, 2] x, float[2, 1] row_scales) => (float[2, 2] y)
    <int8[2, 2] w = {1, 2, 3, 4}, float w_scale = {1}, float[2] bias = {5, 7}> {
        product = MatMulInteger (x, w)
        floating = Cast <to = 1> (product)
        scales = Mul (row_scales, w_scale)
        scaled = Mul (floating, scales)
        y = Add (scaled, bias)
    }
""")
checker.check_model(MODEL, full_check=True)
inputs = {"x": np.array([[1, 2], [3, 4]], np.int8), "row_scales": np.array([[1], [10]], np.float32)}


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return session.run(None, inputs)[0].tolist()


right, given = run(["MatMulIntegerToFloatFusion"]), run([])
print("without the fusion:", right)
print("default:           ", given)
sys.exit(given != [[12, 17], [155, 227]] and right == [[12, 17], [155, 227]])
