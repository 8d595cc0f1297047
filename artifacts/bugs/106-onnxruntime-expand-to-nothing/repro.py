"""Expand of a size of 1 to 0 does nothing, silently, in ONNX Runtime 1.32.0.

ExpandElimination removes an Expand whose target sizes are all 1 or less, or equal to the input's. A target of 0 is no
such size: by ONNX's broadcasting it makes an empty tensor of a size of 1. Exits 1 where the bug shows, 0 where it does
not, 2 where this could not run. Reduced by hand from a finding.
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
expanded (float[1, 3] x) => (float[0, 3] y) <int64[2] shape = {0, 1}> {
    size = Abs (x)
    larger = Expand (size, shape)
    y = Neg (larger)
}
"""
FEEDS = {"x": np.array([[1, 2, 3]], np.float32)}
DUE = [np.zeros((0, 3))]


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
right = run(["ExpandElimination"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without ExpandElimination:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
