"""The indices of MaxPool are wrong if its other output is quantized, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 19]>
    segment (float[1, 1, 4] x) => (int64[1, 1, 2] indices, float[1, 1, 4] y)
    <float scale = {1.0}, uint8 zero = {0}> {
        pooled, indices = MaxPool <kernel_shape = [2], strides = [2]> (x)
        quantized = QuantizeLinear (pooled, scale, zero)
        numbers = DequantizeLinear (quantized, scale, zero)
        y = MaxUnpool <kernel_shape = [2], strides = [2]> (numbers, indices)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([[[3, 3.25, 7.25, 7]]], np.float32)


def run(disabled):
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
    return [y.ravel().tolist() for y in session.run(None, {"x": x})]


right, given = run(["QDQPropagationTransformer"]), run([])
print("without the transformer:", right)
print("default:                ", given)
sys.exit(right == [[1, 2], [0, 3, 7, 0]] and given != right)
