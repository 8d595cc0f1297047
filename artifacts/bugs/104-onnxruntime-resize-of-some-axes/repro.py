"""Transpose(Resize(Transpose(x))) with axes does not load, or resizes the wrong axes, silently, in ONNX Runtime
1.32.0.

TransposeOptimizer moves the Transpose behind the Resize, and permutes its sizes or scales as if there were one for
each axis, in their order. It does not read the attribute axes, which Resize has from opset 18 on. Exits 1 where the
bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
resized (float[1, 2, 2, 3] x) => (float[1, 4, 2, 3] y) <SCALES> {
    first = Transpose <perm = [0, 3, 1, 2]> (x)
    larger = Resize <AXES, mode = "nearest"> (first, , scales)
    y = Transpose <perm = [0, 2, 3, 1]> (larger)
}
"""
X = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
DUE = X.repeat(2, axis=1)
PART = "TransposeOptimizer_CPUExecutionProvider"


def run(scales, axes, disabled):
    """The result, or what went wrong."""
    model = parser.parse_model(MODEL.replace("SCALES", scales).replace("AXES", axes))
    checker.check_model(model, full_check=True)
    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
        )
        return session.run(None, {"x": X})[0]
    except Exception as error:
        return error


wrong = False
for scales, axes in (
    ("float[4] scales = {1, 1, 2, 1}", "axes = [0, 1, 2, 3]"),
    ("float[2] scales = {2, 1}", "axes = [2, 3]"),
    ("float[4] scales = {1, 2, 1, 1}", "axes = [3, 2, 1, 0]"),
):
    print(scales, axes)
    for disabled in ([PART], []):
        y = run(scales, axes, disabled)
        right = not isinstance(y, Exception) and np.array_equal(y, DUE)
        print(
            "  without TransposeOptimizer:" if disabled else "  all optimizations:",
            "right" if right else getattr(y, "shape", y),
        )
        wrong |= not disabled and not right
sys.exit(int(wrong))
