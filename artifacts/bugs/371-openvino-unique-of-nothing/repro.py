"""Unique of no elements fails, and later gives a number, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    distinct (float[3] x, bool[3] mask) => (float[n] y) {
        chosen = Compress <axis = 0> (x, mask)
        y = Unique (chosen)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
X, NONE = np.array([3, 4, 3], np.float32), np.array([False] * 3)
failed = ""
try:
    first = compiled([X, NONE])[0].tolist()
except RuntimeError as error:
    failed = str(error).strip().splitlines()[-1]
print("distinct elements of []:", failed or first)
print("distinct elements of [3, 3]:", compiled([X, np.array([True, False, True])])[0].tolist())
later = compiled([X, NONE])[0].tolist()
print("distinct elements of []:", later)
sys.exit(bool(failed) or later != [])
