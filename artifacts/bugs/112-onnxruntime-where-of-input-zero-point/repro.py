"""A quantized Where with a zero point that is an input of the model ends the process as it is loaded, in ONNX Runtime
1.32.0.

QDQSelectorActionTransformer makes a QLinearWhere of it. This builds its tables as it is made, and reads the zero
point, which is no constant. With a scale that is an input it loads. Exits 1 where the bug shows, 0 where it does not,
2 where this could not run. Reduced by hand from a finding.
"""

import subprocess
import sys

try:
    from onnx import checker, parser
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

MODEL = """
<ir_version: 9, opset_import: ["" : 18]>
chosen (uint8[2] x, uint8[2] y, bool[2] c, uint8 x_zero) => (uint8[2] z) <float scale = {3}, uint8 zero = {0}> {
    x_real = DequantizeLinear (x, scale, x_zero)
    y_real = DequantizeLinear (y, scale, zero)
    real = Where (c, x_real, y_real)
    z = QuantizeLinear (real, scale, zero)
}
"""
LOAD = """
import sys
import onnxruntime
model = sys.stdin.buffer.read()
onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], disabled_optimizers=sys.argv[1:])
"""
model = parser.parse_model(MODEL)
checker.check_model(model, full_check=True)


def load(*disabled):
    """The exit status of a process that loads the model."""
    return subprocess.run(
        [sys.executable, "-c", LOAD, *disabled], input=model.SerializeToString(), check=False
    ).returncode


print("without QDQSelectorActionTransformer:", load("QDQSelectorActionTransformer"))
given = load()
print("all optimizations:", given)
sys.exit(int(given < 0))
