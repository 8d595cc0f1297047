"""A float output of the graph is quantized before a Transpose and a QuantizeLinear, in ONNX Runtime 1.32.0, CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 19]>
    roots (float[2, 2] x) => (float[2, 2] root, float[2, 2] turned)
    <float scale = {1.0}, uint8 zero = {0}> {
        root = Sqrt (x)
        transposed = Transpose <perm = [1, 0]> (root)
        quantized = QuantizeLinear (transposed, scale, zero)
        turned = DequantizeLinear (quantized, scale, zero)
    }
""")
checker.check_model(MODEL, full_check=True)
OPTIMIZER = ["TransposeOptimizer", "TransposeOptimizer_CPUExecutionProvider"]
x = np.array([[1, 2], [4, 9]], np.float32)


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return session.run(["root"], {"x": x})[0]


right, given = run(OPTIMIZER), run([])
print("root without the optimizer:", right.tolist())
print("root by default:           ", given.tolist())
sys.exit(np.allclose(right, np.sqrt(x)) and not np.allclose(given, np.sqrt(x), atol=0.1))
