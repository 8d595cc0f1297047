"""DequantizeLinear and QuantizeLinear with equal scales along different axes are removed, in ONNX Runtime 1.32.0, CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser, reference

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 19]>
    requantize (uint8[2, 2] x) => (uint8[1, 4] y)
    <float[2] scales = {1.0, 2.0}, uint8[2] zeros = {0, 0}> {
        numbers = DequantizeLinear <axis = 0> (x, scales, zeros)
        columns = QuantizeLinear <axis = 1> (numbers, scales, zeros)
        y = Flatten <axis = 0> (columns)
    }
""")
checker.check_model(MODEL, full_check=True)
OPTIMIZER = ["TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"]
FEED = {"x": np.full((2, 2), 4, np.uint8)}


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return session.run(None, FEED)[0].tolist()


due = reference.ReferenceEvaluator(MODEL).run(None, FEED)[0].tolist()
right, given = run(OPTIMIZER), run([])
print("ONNX's reference:     ", due)
print("without the optimizer:", right)
print("default:              ", given)
sys.exit(right == due == [[4, 2, 8, 4]] and given != due)
