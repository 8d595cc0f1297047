"""Mul(Div(1, x), y) of int32 or int64 gives y / x, silently, in ONNX Runtime 1.32.0.

DivMulFusion replaces (1 / x) * y by y / x. Integer division truncates, so (1 / x) * y is 0 where x is 2 or more. Exits
1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
div_mul (int64[3] x, int64[3] y) => (int64[3] z) <int64 one = {1}> {
    quotient = Div (one, x)
    z = Mul (quotient, y)
}
"""
FEEDS = {"x": np.array([2, 3, 1]), "y": np.array([7, 7, 7])}
DUE = [np.array([0, 0, 7])]


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
right = run(["DivMulFusion"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without DivMulFusion:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
