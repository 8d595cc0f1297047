"""A model with an If that reads Transpose(DequantizeLinear(x)) from outside ends the process as it is loaded, in ONNX
Runtime 1.32.0.

QDQPropagationTransformer moves the DequantizeLinear behind the Transpose, and looks for the input of the If that it
must replace. The If reads it from outside, and has no such input. Loop and Scan do the same. Exits 1 where the bug
shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
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
branches (uint8[2] x, bool which) => (float[2] y) <float scale = {2}, uint8 zero = {4}> {
    real = DequantizeLinear (x, scale, zero)
    moved = Transpose (real)
    y = If (which) <
        then_branch = negated () => (float[2] p) { p = Neg (moved) },
        else_branch = size () => (float[2] q) { q = Abs (moved) }
    >
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


print("without QDQPropagationTransformer:", load("QDQPropagationTransformer"))
given = load()
print("all optimizations:", given)
sys.exit(int(given < 0))
