"""Hardmax between two Transposes takes another one of equal maxima, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 7, opset_import: ["" : 12]>
    first (float[1, 2, 2] x) => (float[1, 2, 2] y) {
        columns = Transpose <perm = [0, 2, 1]> (x)
        maximum = Hardmax <axis = 1> (columns)
        y = Transpose <perm = [0, 2, 1]> (maximum)
    }
""")
checker.check_model(MODEL, full_check=True)
OPTIMIZER = ["TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"]
x = np.array([[[0, 1], [1, 0]]], np.float32)


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return session.run(None, {"x": x})[0].tolist()


right, given = run(OPTIMIZER), run([])
print("without the optimizer:", right)
print("default:              ", given)
sys.exit(right == [[[0, 0], [1, 0]]] and given != right)
