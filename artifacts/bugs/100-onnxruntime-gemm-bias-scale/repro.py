"""Gemm of DequantizeLinear's results takes any scale of an int32 bias for the product of the other two, silently, in
ONNX Runtime 1.32.0.

QDQSelectorActionTransformer makes a QGemm of it, whose bias has the scale of the input times that of the weights. It
does not look at the scale that the bias has. ONNX Runtime mended the same for Conv. Exits 1 where the bug shows, 0
where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import checker, parser
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

MODEL = """
<ir_version: 9, opset_import: ["" : 18]>
gemm (uint8[2, 2] x) => (uint8[2, 2] y)
<float one = {1}, float hundred = {100}, uint8 zero = {0}, int8[2, 2] w = {1, 2, 3, 4}, int8 w_zero = {0}, int32[2] b = {1, 1}> {
    real = DequantizeLinear (x, one, zero)
    weights = DequantizeLinear (w, one, w_zero)
    bias = DequantizeLinear (b, hundred)
    product = Gemm (real, weights, bias)
    y = QuantizeLinear (product, one, zero)
}
"""
FEEDS = {"x": np.array([[1, 2], [3, 4]], np.uint8)}
DUE = [np.array([[107, 110], [115, 122]])]


def run(disabled):
    """The results, or what went wrong."""
    model = parser.parse_model(MODEL)
    checker.check_model(model, full_check=True)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
        )
        return session.run(None, FEEDS)
    except Exception as error:
        return error


print("due:", *(y.tolist() for y in DUE))
right = run(["QDQSelectorActionTransformer"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without QDQSelectorActionTransformer:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
