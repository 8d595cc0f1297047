"""The float32 weights of a Conv between DequantizeLinear and QuantizeLinear are computed in int8, silently, in ONNX
Runtime 1.32.0.

WeightBiasQuantization quantizes them symmetrically, by one scale for all channels. The model asks for no such thing. A
small weight beside a large one is lost: 3 beside 1000 becomes 3.937. Exits 1 where the bug shows, 0 where it does not,
2 where this could not run. Reduced by hand from a finding.
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
convolution (uint8[1, 2, 1, 1] x) => (uint8[1, 1, 1, 1] y) <float scale = {1}, uint8 zero = {0}, float[1, 2, 1, 1] w = {1000, 3}> {
    real = DequantizeLinear (x, scale, zero)
    product = Conv (real, w)
    y = QuantizeLinear (product, scale, zero)
}
"""
FEEDS = {"x": np.array([0, 20], np.uint8).reshape(1, 2, 1, 1)}
DUE = [np.array([60]).reshape(1, 1, 1, 1)]


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
right = run(["WeightBiasQuantization"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without WeightBiasQuantization:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
