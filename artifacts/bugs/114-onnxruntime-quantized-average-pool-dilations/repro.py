"""A quantized AveragePool with dilations cannot be loaded, in ONNX Runtime 1.32.0.

QDQSelectorActionTransformer makes a QLinearAveragePool of it, which knows no dilations. Exits 1 where the bug shows, 0
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
<ir_version: 9, opset_import: ["" : 19]>
pooled (uint8[1, 1, 3, 3] x) => (uint8[1, 1, 1, 1] y) <float one = {1}, uint8 zero = {0}> {
    real = DequantizeLinear (x, one, zero)
    mean = AveragePool <kernel_shape = [2, 2], dilations = [2, 2]> (real)
    y = QuantizeLinear (mean, one, zero)
}
"""
FEEDS = {"x": np.arange(9, dtype=np.uint8).reshape(1, 1, 3, 3)}
DUE = [np.array([[[[4]]]])]


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
