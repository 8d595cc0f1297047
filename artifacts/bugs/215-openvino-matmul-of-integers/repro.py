"""MatMul of int32 computes in float32, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    products (int32[1] x) => (int32 y) {
        y = MatMul (x, x)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
result = compiled([np.array([4097], np.int32)])[0].item()
print(f"4097 * 4097 is {4097**2}, and OpenVINO gives {result}")
sys.exit(result != 4097**2)
