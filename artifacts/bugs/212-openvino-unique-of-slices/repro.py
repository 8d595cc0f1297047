"""Unique along axis 1 returns a column twice, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    columns (float[2, 3] x) => (float[2, n] y) {
        y = Unique <axis = 1> (x)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
X = np.array([[0, 0, 0], [0, 9, 9]], np.float32)
given, due = compiled([X])[0], np.unique(X, axis=1)
print(f"the distinct columns of {X.tolist()}: {due.tolist()}, and OpenVINO gives {given.tolist()}")
sys.exit(given.tolist() != due.tolist())
