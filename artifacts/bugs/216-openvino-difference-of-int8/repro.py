"""x - x of int8 gives -1 for -128, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    difference (int8[1] x, int8[1] y) => (int8[1] z) {
        z = Sub (x, y)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
x = np.array([-128], np.int8)
result = compiled([x, x])[0].item()
print(f"-128 - -128 of int8 is 0, and OpenVINO gives {result}")
sys.exit(result != 0)
