"""x / sqrt(mean(x * x) + e) with an epsilon of shape [1, 1, 1] loses an axis, silently, in ONNX Runtime 1.32.0.

An epsilon of higher rank than x makes the result's rank higher, too. SimplifiedLayerNormFusion reads its only element,
and gives the shape of x. LayerNormFusion does the same. Exits 1 where the bug shows, 0 where it does not, 2 where this
could not run. Reduced by hand from a finding.
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
normalized (float[2, 2] x) => (float[1, 2, 2] y)
<int64[1] last = {-1}, float two = {2}, float[1, 1, 1] epsilon = {2}, float[2] scale = {1, 2}> {
    square = Pow (x, two)
    mean = ReduceMean (square, last)
    sum = Add (mean, epsilon)
    root = Sqrt (sum)
    quotient = Div (x, root)
    y = Mul (quotient, scale)
}
"""
FEEDS = {"x": np.array([[1, 1], [2, 2]], np.float32)}
DUE = [np.array([[[1, 2], [2, 4]]]) / np.sqrt([[[3], [6]]])]


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
right = run(["SimplifiedLayerNormFusion"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without SimplifiedLayerNormFusion:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
