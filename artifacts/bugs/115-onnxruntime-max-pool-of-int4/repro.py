"""QuantizeLinear(ReduceMax(DequantizeLinear(x))) of int4 or uint4 cannot be loaded, in ONNX Runtime 1.32.0.

QDQSelectorActionTransformer drops DequantizeLinear and QuantizeLinear, and leaves a ReduceMax of int4, which is
invalid. ReduceMin and MaxPool do the same. Exits 1 where the bug shows, 0 where it does not, 2 where this could not
run. Reduced by hand from a finding.
"""

import sys

try:
    import onnxruntime
    from onnx import checker, parser
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

MODEL = """
<ir_version: 10, opset_import: ["" : 21]>
largest (int4[2, 2] x) => (uint8[1] y) <float one = {1}, int4 zero = {0}, uint8 offset = {100}, int64[2] axes = {0, 1}> {
    real = DequantizeLinear (x, one, zero)
    largest = ReduceMax <keepdims = 1> (real, axes)
    quantized = QuantizeLinear (largest, one, zero)
    again = DequantizeLinear (quantized, one, zero)
    y = QuantizeLinear (again, one, offset)
}
"""


def load(disabled):
    """What went wrong, if anything."""
    model = parser.parse_model(MODEL)
    checker.check_model(model, full_check=True)
    try:
        onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
        )
    except Exception as error:
        return error
    return None


without = load(["QDQSelectorActionTransformer"])
print("without QDQSelectorActionTransformer:", without or "loads")
given = load([])
print("all optimizations:", given or "loads")
sys.exit(2 if without else int(given is not None))
