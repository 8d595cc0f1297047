"""An output between MatMul and BatchNormalization gets the values of the normalization, silently, in ONNX Runtime
1.32.0.

MatMul_BatchNormalization_Fusion scales the weights, and passes over any Reshape and Transpose between the two. It does
not look whether one of these is an output of the model. Where the last one is an output, the model does not load.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
normalized (float[2, 2] x) => (float[2, 2] y, float[2, 2] product)
<float[2, 2] w = {1, 2, 3, 4}, float[2] scale = {1, 10}, float[2] zero = {0, 0}, float[2] one = {1, 1}, int64[2] shape = {2, 2}> {
    raw = MatMul (x, w)
    product = Reshape (raw, shape)
    again = Reshape (product, shape)
    y = BatchNormalization <epsilon = 0.0> (again, scale, zero, zero, one)
}
"""
FEEDS = {"x": np.array([[1, 2], [3, 4]], np.float32)}
DUE = [np.array([[7, 100], [15, 220]]), np.array([[7, 10], [15, 22]])]


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
right = run(["MatMul_BatchNormalization_Fusion"])
if isinstance(right, Exception):
    print("could not run:", right)
    sys.exit(2)
print("without MatMul_BatchNormalization_Fusion:", *(y.tolist() for y in right))
given = run([])
if isinstance(given, Exception):
    print("all optimizations:", given)
    sys.exit(1)
print("all optimizations:", *(y.tolist() for y in given))
same = all(y.shape == due.shape and np.allclose(y, due, rtol=1e-5) for y, due in zip(given, DUE, strict=True))
sys.exit(int(not same))
