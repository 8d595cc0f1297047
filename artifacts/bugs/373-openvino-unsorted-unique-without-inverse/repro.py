"""Unsorted Unique gives 3, 0 as the distinct ones of 3, 3, 5, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    distinct (float[3] x) => (float[n] y) {
        y = Unique <sorted = 0> (x)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = compiled([np.array([3, 3, 5], np.float32)])[0].tolist()
print(f"the distinct elements of [3, 3, 5]: [3.0, 5.0], and OpenVINO gives {given}")
sys.exit(given != [3, 5])
