"""Transpose is moved through a blocked DequantizeLinear without its scales, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser, reference

MODEL = parser.parse_model("""
    <ir_version: 10, opset_import: ["" : 21]>
    blocks (uint8[2, 4] x, float[2, 2] scales) => (float[2, 4] y) {
        columns = Transpose <perm = [1, 0]> (x)
        numbers = DequantizeLinear <axis = 0, block_size = 2> (columns, scales)
        y = Transpose <perm = [1, 0]> (numbers)
    }
""")
checker.check_model(MODEL, full_check=True)
OPTIMIZER = ["TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"]
FEED = {"x": np.ones((2, 4), np.uint8), "scales": np.array([[1, 2], [3, 4]], np.float32)}


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return session.run(None, FEED)[0].tolist()


due = reference.ReferenceEvaluator(MODEL).run(None, FEED)[0].tolist()
right, given = run(OPTIMIZER), run([])
print("ONNX's reference:     ", due)
print("without the optimizer:", right)
print("default:              ", given)
sys.exit(right == due == [[1, 1, 3, 3], [2, 2, 4, 4]] and given != due)
