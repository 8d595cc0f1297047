"""Cast to bool of the inverse indices of Unique reads the values instead, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    seen (float[3] x) => (bool[3] later) {
        y, first, inverse, counts = Unique (x)
        later = Cast <to = 9> (inverse)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = compiled([np.array([3, 3, 5], np.float32)])[0].tolist()
print(f"the inverse [0, 0, 1] as bool: [False, False, True], and OpenVINO gives {given}")
sys.exit(given != [False, False, True])
