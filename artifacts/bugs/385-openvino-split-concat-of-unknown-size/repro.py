"""Concat of the repeated halves of an axis of unknown size repeats elements, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    halves (float[1, 1, 1, n] x) => (float[1, 1, 1, m] y) {
        p, q = Split <axis = 3, num_outputs = 2> (x)
        y = Concat <axis = 3> (p, p, q, q)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[[0, 1, 2, 3]]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel().tolist()
p, q = np.split(x, 2, 3)
due = np.concatenate([p, p, q, q], 3).ravel().tolist()
print("due:  ", due)
print("given:", given)
sys.exit(given != due)
