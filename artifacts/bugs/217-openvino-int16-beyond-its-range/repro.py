"""A sum of int16 leaves the range of int16, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    sums (int16[1] x) => (int16[1] s, float[1] y) {
        s = Add (x, x)
        y = Cast <to = 1> (s)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
s, y = (array.item() for array in compiled([np.array([21071], np.int16)]).values())
print(f"21071 + 21071 of int16: {s}; the same as a float: {y}")
sys.exit(y != s)
