"""ArgMax(DequantizeLinear(x)) with a negative scale gives the place of the minimum, silently, in ONNX Runtime 1.32.0.

QDQSelectorActionTransformer drops the DequantizeLinear, as if the order of the numbers stayed the same. For MaxPool,
ReduceMin and ReduceMax it asks whether the scale is positive; for ArgMax it does not. With a scale of 0 the place is
wrong, too. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a
finding.
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
arg_max (uint8[3] x) => (int64[1] y) <float scale = {-2}, uint8 zero = {2}> {
    real = DequantizeLinear (x, scale, zero)
    y = ArgMax <axis = 0> (real)
}
"""
FEEDS = {"x": np.array([150, 3, 7], np.uint8)}
DUE = [np.array([1])]


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
