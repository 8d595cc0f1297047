"""onnxruntime 1.32.0: output 0 (float32[2]): A is off by 1 where the result is exact at 1 of 2 elements ([0]); at [0]
it gives 0, and float64 1

Exits 1 where the bug shows, 0 where it does not, 2 where this script could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnx
import onnxruntime

A = onnx.parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    model (float[2, 2] x0, float[2] x1) => (float[2] y) {
        v0 = Transpose <perm = [1, 0]> (x0)
        y = MatMul (v0, x1)
    }
""").SerializeToString()

x0 = np.array([[0, 0], [1, 0]], np.float32)
x1 = np.array([0, 1], np.float32)
a = onnxruntime.InferenceSession(A).run(None, {"x0": x0, "x1": x1})[0]

# The check: compiled, A gives other results than in float64.


def gap(x, y):
    """Return |x - y|: infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


expected = np.array([1, 0], np.float64)  # in float64
allowed = np.array([0, np.inf], np.float64)  # the values are exact; infinite where elements are not compared

difference = gap(a, expected)
wrong = difference > allowed
print("A:      ", a)
print("float64:", expected)
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
