"""The float bias of a Conv or Gemm between DequantizeLinear and QuantizeLinear overflows, or is rounded away,
silently, in ONNX Runtime 1.32.0.

WeightBiasQuantization quantizes a constant float bias to int32 by the scale of the input times that of the weights. A
bias of more than 2147483647 times this product does not fit into int32. One below half of it becomes 0. Exits
1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
convolution (uint8[1, 1, 2, 1] x) => (uint8[1, 1, 2, 1] y)
<float xs = {%s}, float ws = {%s}, float ys = {1}, uint8 zero = {0}, int8[1, 1, 1, 1] w = {1}, int8 w_zero = {0}, float[1] bias = {%s}> {
    real = DequantizeLinear (x, xs, zero)
    weights = DequantizeLinear (w, ws, w_zero)
    product = Conv (real, weights, bias)
    y = QuantizeLinear (product, ys, zero)
}
"""
X = np.array([1, 2], np.uint8).reshape(1, 1, 2, 1)


def run(numbers, disabled):
    """The result of the model with these scales and this bias."""
    model = parser.parse_model(MODEL % numbers)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )
    return session.run(None, {"x": X})[0].ravel()


wrong = False
for numbers, due in ((("0.00001", "0.00001", "5.0"), [5, 5]), (("100.0", "1.0", "49.0"), [149, 249])):
    print("scale of the input, scale of the weights, bias:", *numbers)
    print("  without WeightBiasQuantization:", run(numbers, ["WeightBiasQuantization"]))
    given = run(numbers, [])
    print("  all optimizations:             ", given)
    wrong |= given.tolist() != due
sys.exit(int(wrong))
