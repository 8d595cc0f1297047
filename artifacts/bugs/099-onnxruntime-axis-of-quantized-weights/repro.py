"""MatMul, Gemm and Conv of DequantizeLinear(x) and DequantizeLinear(w) take any axis of w's scales for the output
channel's, silently, in ONNX Runtime 1.32.0.

QDQSelectorActionTransformer fuses these without a look at the attribute axis of the weights' DequantizeLinear. Where
both axes have equally many elements, scales for the rows are taken for scales for the columns. Exits 1 where the bug
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

HEAD = '<ir_version: 9, opset_import: ["" : 18]>'
PARAMETERS = """
<float one = {1}, uint8 zero = {0}, int8[WEIGHTS] w = {1, 2, 3, 4}, float[2] scales = {1, 10}, int8[2] zeros = {0, 0}>
"""
BODIES = {
    "MatMul": ("2, 2", "float", "y = MatMul (real, weights)", 0),
    "Gemm": ("2, 2", "uint8", "product = Gemm (real, weights)\ny = QuantizeLinear (product, one, zero)", 0),
    "Conv": ("2, 2, 1, 1", "uint8", "product = Conv (real, weights)\ny = QuantizeLinear (product, one, zero)", 1),
}


def run(operator, disabled):
    """The result, as a matrix."""
    shape, result, body, axis = BODIES[operator]
    data = "1, 2, 2, 1" if operator == "Conv" else shape
    text = f"""{HEAD} model (uint8[{data}] x) => ({result}[{data}] y) {PARAMETERS.replace("WEIGHTS", shape)} {{
        real = DequantizeLinear (x, one, zero)
        weights = DequantizeLinear <axis = {axis}> (w, scales, zeros)
        {body}
    }}"""
    model = parser.parse_model(text)
    checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )
    x = np.array([[1, 2], [3, 4]], np.uint8)
    return session.run(None, {"x": x.reshape([int(size) for size in data.split(",")])})[0].reshape(2, 2)


wrong = False
for operator in BODIES:
    right, given = run(operator, ["QDQSelectorActionTransformer"]), run(operator, [])
    print(f"{operator}: without QDQSelectorActionTransformer {right.tolist()}, all optimizations {given.tolist()}")
    wrong |= not np.array_equal(right, given)
sys.exit(int(wrong))
