"""MatMul plus a constant does not compile where the number of columns is unknown, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    layer (float[2, 3] x, float[3, n] w) => (float[2, n] y) <float[2] c = {1, 2}> {
        p = MatMul (x, w)
        y = Add (p, c)
    }
""")
core = openvino.Core()
model = core.read_model(MODEL.SerializeToString())
try:
    core.compile_model(model, "CPU")
except RuntimeError as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit(1)
print("it compiles")
