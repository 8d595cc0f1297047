"""A model with an If of a constant condition, which reads a value whose Shape is taken, too, cannot be loaded, in ONNX
Runtime 1.32.0.

ConstantFolding computes the Shape, and removes the value, though a branch of the If reads it from outside. Then it
puts the branch in place of the If. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
Reduced by hand from a finding.
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
branches (float[2, 2] x) => (int64[2] shape, float[2, 2] y) <bool condition = {1}> {
    value = Neg (x)
    shape = Shape (value)
    y = If (condition) <
        then_branch = size () => (float[2, 2] p) { p = Abs (value) },
        else_branch = negated () => (float[2, 2] q) { q = Neg (value) }
    >
}
"""
FEEDS = {"x": np.array([[1, 2], [3, 4]], np.float32)}
DUE = [np.array([2, 2]), np.array([[1, 2], [3, 4]])]


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
right = run(["ConstantFolding"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without ConstantFolding:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
