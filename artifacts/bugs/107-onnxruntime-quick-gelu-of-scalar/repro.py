"""x * sigmoid(x * [1.702]) of a scalar x gives a scalar instead of a vector of one element, silently, in ONNX Runtime
1.32.0.

QuickGeluFusion takes a constant of shape [1] for a scalar. By broadcasting it makes the result a vector where x is a
scalar. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
quick_gelu (float x) => (float[1] y) <float[1] factor = {1.702}> {
    product = Mul (x, factor)
    gate = Sigmoid (product)
    y = Mul (x, gate)
}
"""
FEEDS = {"x": np.array(3, np.float32)}
DUE = [np.array([3 / (1 + np.exp(-3 * 1.702))])]


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
right = run(["QuickGeluFusion"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without QuickGeluFusion:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
