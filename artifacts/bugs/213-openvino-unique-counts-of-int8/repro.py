"""Unique of int8 along an axis returns foreign memory as counts, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    counted (int8[4] x) => (int64[n] i, int64[m] c) {
        y, i, v, c = Unique <axis = 0, sorted = 0> (x)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
results = compiled([np.array([5, 3, 5, 7], np.int8)])
places, counts = (results[k].tolist() for k in range(2))
print(f"5, 3 and 7 stand first at [0, 1, 3], {[2, 1, 1]} times, and OpenVINO gives {places} and {counts}")
sys.exit(places != [0, 1, 3] or counts != [2, 1, 1])
