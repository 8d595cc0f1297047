"""Gather of the indices 0, 0 behind Unsqueeze vanishes, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    twice (float[n, m] x) => (float[n, 2, m] y) <int64[1] axis = {1}, int64[2] zeros = {0, 0}> {
        rows = Unsqueeze (x, axis)
        y = Gather <axis = 1> (rows, zeros)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0]
due = x[:, None][:, [0, 0]]
print(f"due: {due.shape}, {due.tolist()}")
print(f"given: {given.shape}, {given.tolist()}")
sys.exit(given.shape != due.shape)
