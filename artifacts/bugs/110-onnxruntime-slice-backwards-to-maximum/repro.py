"""Slice by steps of -1 to the end INT64_MAX gives the elements down to the first, where none are due, silently, in
ONNX Runtime 1.32.0.

The kernel takes INT64_MAX (and INT32_MAX) for the other end, whatever the direction. ONNX clamps it to the last
element. NumPy and ONNX's reference give an empty result. So it is at all levels. Exits 1 where the bug shows, 0 where
it does not, 2 where this could not run. Reduced by hand from a finding.
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
sliced (int64[4] x) => (int64[n] y)
<int64[1] start = {0}, int64[1] end = {9223372036854775807}, int64[1] axis = {0}, int64[1] step = {-1}> {
    y = Slice (x, start, end, axis, step)
}
"""
FEEDS = {"x": np.array([5, 6, 7, 8])}
DUE = [np.array([5, 6, 7, 8])[0 : 2**63 - 1 : -1]]


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
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
