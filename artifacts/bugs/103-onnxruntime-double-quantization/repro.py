"""Two pairs of QuantizeLinear and DequantizeLinear are replaced by one with a scale of its own, silently, in ONNX
Runtime 1.32.0.

DoubleQDQPairsRemover divides the range that both can hold into 255 steps, and quantizes by these. Numbers that both
pairs keep exactly are changed: by two scales of 1 and the zero points 0 and 100, 5 becomes 4.86. Exits 1 where the bug
shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
quantized (float[3] x) => (float[3] y) <float one = {1}, uint8 zero = {0}, uint8 hundred = {100}> {
    first = QuantizeLinear (x, one, zero)
    real = DequantizeLinear (first, one, zero)
    second = QuantizeLinear (real, one, hundred)
    y = DequantizeLinear (second, one, hundred)
}
"""
FEEDS = {"x": np.array([-3, 5, 200], np.float32)}
DUE = [np.array([0, 5, 155])]


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
right = run(["DoubleQDQPairsRemover"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without DoubleQDQPairsRemover:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
