"""Gather with a constant of no indices gives the first element, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    nothing (float[3] x) => (float[0] y) <int64[0] places = {}> {
        y = Gather (x, places)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = compiled([np.array([3, 4, 5], np.float32)])[0]
print(f"due: an empty vector, given: {given.tolist()} of shape {given.shape}")
sys.exit(given.shape != (0,))
