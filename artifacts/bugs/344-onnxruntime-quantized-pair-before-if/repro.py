"""A model with an If that reads QuantizeLinear(DequantizeLinear(x)) from outside ends the process as it is loaded, in
ONNX Runtime 1.32.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    branches (uint8[2] x, bool which) => (float[2] y) <float scale = {2}, uint8 zero = {4}> {
        real = DequantizeLinear (x, scale, zero)
        whole = QuantizeLinear (real, scale, zero)
        y = If (which) <
            then_branch = scaled () => (float[2] p) { p = DequantizeLinear (whole, scale, zero) },
            else_branch = plain () => (float[2] q) { q = Cast <to = 1> (whole) }
        >
    }
""")
LOAD = """
import sys
import onnxruntime
model = sys.stdin.buffer.read()
onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"], disabled_optimizers=sys.argv[1:])
"""
checker.check_model(MODEL, full_check=True)


def load(*disabled):
    """The exit status of a process that loads the model."""
    return subprocess.run(
        [sys.executable, "-c", LOAD, *disabled], input=MODEL.SerializeToString(), check=False
    ).returncode


without, given = load("QDQFinalCleanupTransformer"), load()
print("ONNX Runtime", onnxruntime.__version__)
print("without QDQFinalCleanupTransformer:", without)
print("all optimizations:", given)
sys.exit(int(given < 0 == without))
