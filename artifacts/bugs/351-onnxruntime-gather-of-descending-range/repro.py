"""Gather by a descending Range gives an empty tensor, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    flip (float[n] x) => (float[m] y)
    <int64 minus_one = {-1}, int64 one = {1}, int64[1] first = {0}> {
        shape = Shape (x)
        size = Squeeze (shape, first)
        last = Sub (size, one)
        descending = Range (last, minus_one, minus_one)
        y = Gather (x, descending)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([1, 2, 3], np.float32)


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return session.run(None, {"x": x})[0].tolist()


right, given = run(["GatherToSliceFusion"]), run([])
print("without the fusion:", right)
print("default:           ", given)
sys.exit(given != [3, 2, 1] and right == [3, 2, 1])
