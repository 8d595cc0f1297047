"""Concat along another axis than Split gives the shape of a Concat along the axis of the Split, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    stack (float[1, 2, 1, 2] x) => (float[1, 1, 4, 2] y) {
        p, q = Split <axis = 1, num_outputs = 2> (x)
        y = Concat <axis = 2> (p, p, q, q)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[[0, 1]], [[2, 3]]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0]
p, q = np.split(x, 2, 1)
due = np.concatenate([p, p, q, q], 2)
print(f"due: {due.shape}, {due.tolist()}")
print(f"given: {given.shape}, {given.tolist()}")
sys.exit(given.shape != due.shape)
