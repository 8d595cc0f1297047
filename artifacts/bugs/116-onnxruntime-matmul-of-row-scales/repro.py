"""MatMul of DequantizeLinear(x) with a scale for each row of x does not run, in ONNX Runtime 1.32.0.

QDQSelectorActionTransformer makes a MatMulIntegerToFloat of it, which takes one scale for the whole first operand. The
selector does not look at the shape of the scale. Exits 1 where the bug shows, 0 where it does not, 2 where this could
not run. Found by hand beside a finding.
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
product (uint8[2, 2] x) => (float[2, 2] y)
<float one = {1}, float[2] scales = {1, 10}, uint8[2] zeros = {0, 0}, int8[2, 2] w = {1, 2, 3, 4}, int8 w_zero = {0}> {
    real = DequantizeLinear <axis = 0> (x, scales, zeros)
    weights = DequantizeLinear (w, one, w_zero)
    y = MatMul (real, weights)
}
"""
FEEDS = {"x": np.array([[1, 2], [3, 4]], np.uint8)}
DUE = [np.array([[7, 10], [150, 220]])]


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
