"""Two Splits of the same tensor into two and four parts are merged, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    parts (float[n] x) => (float[half_n] first_half, float[quarter_n] first_quarter) {
        half, other_half = Split (x)
        quarter, second, third, fourth = Split (x)
        first_half = Neg (half)
        first_quarter = Neg (quarter)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([1, 2, 3, 4], np.float32)


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return [y.tolist() for y in session.run(None, {"x": x})]


right, given = run(["CommonSubexpressionElimination"]), run([])
print("without the transformer:", right)
print("default:                ", given)
sys.exit(given != [[-1, -2], [-1]] and right == [[-1, -2], [-1]])
