"""A sum with a row that is expanded to no rows has one row, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    rows (float[1, 2] x, int64[2] shape) => (float[n, 2] y) <float[2] c = {10, 20}> {
        expanded = Expand (x, shape)
        y = Add (expanded, c)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x, shape = np.array([[1, 2]], np.float32), np.array([0, 2])
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x, shape])[0].tolist()
due = (np.broadcast_to(x, shape) + np.array([10, 20], np.float32)).tolist()
print(f"due: {due}, given: {given}")
sys.exit(given != due)
