"""Expand of a scalar to a scalar gives a vector, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    expanded (float x) => (float y) <int64[0] shape = {}> {
        y = Expand (x, shape)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
result = compiled([np.array(1, np.float32)])[0]
print(f"the shape is [], and OpenVINO gives {list(result.shape)}")
sys.exit(result.shape != ())
