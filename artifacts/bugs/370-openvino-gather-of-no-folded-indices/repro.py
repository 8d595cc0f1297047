"""Compress with a constant mask of all false ends compile_model with SIGFPE, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import signal
import subprocess
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
PROGRAM = """
import openvino
from onnx import parser

MODEL = parser.parse_model(
    '<ir_version: 9, opset_import: ["" : 18]> masked (float[3] x) => (float[n] y) <bool[3] mask = {0, 0, 0}>'
    '{ y = Compress <axis = 0> (x, mask) }'
)
core = openvino.Core()
core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
"""
code = subprocess.run([sys.executable, "-c", PROGRAM]).returncode
print("it compiles" if code == 0 else f"the process ended by signal {-code}, {signal.Signals(-code).name}")
sys.exit(1 if code == -signal.SIGFPE else 2 if code else 0)
