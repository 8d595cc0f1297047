"""(mean - x) / sqrt(variance + e) loses its sign, silently, in ONNX Runtime 1.32.0.

LayerNormFusion looks for Sub, Pow, Sqrt and Div, and not for the order of their operands, nor for the exponent. So it
takes mean - x for x - mean, root / (x - mean) for (x - mean) / root, and any power for the square. Exits 1 where the
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
layer_norm (float[1, 3] x) => (float[1, 3] y)
<int64[1] last = {-1}, float exponent = {2}, float epsilon = {0.0625}, float[3] scale = {1, 1, 1}, float[3] bias = {0, 0, 0}> {
    mean = ReduceMean (x, last)
    difference = Sub (x, mean)
    power = Pow (difference, exponent)
    variance = ReduceMean (power, last)
    sum = Add (variance, epsilon)
    root = Sqrt (sum)
    quotient = Div (difference, root)
    scaled = Mul (quotient, scale)
    y = Add (scaled, bias)
}
"""
X = np.array([[1, 2, 6]], np.float32)
CASES = [
    ("x - mean, as it should be", []),
    ("mean - x", [("Sub (x, mean)", "Sub (mean, x)")]),
    ("root / (x - mean)", [("Div (difference, root)", "Div (root, difference)")]),
    ("fourth power", [("exponent = {2}", "exponent = {4}")]),
    ("power of 2", [("Pow (difference, exponent)", "Pow (exponent, difference)")]),
]
PARTS = ["LayerNormFusion", "LayerNormFusionL1", "LayerNormFusionL2"]


def run(text, disabled):
    """The result of a model."""
    model = parser.parse_model(text)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )
    return session.run(None, {"x": X})[0]


wrong = False
for name, changes in CASES:
    text = MODEL
    for old, new in changes:
        text = text.replace(old, new)
    right, given = run(text, PARTS), run(text, [])
    print(f"{name}: without LayerNormFusion {right}, all optimizations {given}")
    wrong |= not np.allclose(right, given, rtol=1e-4)
sys.exit(int(wrong))
