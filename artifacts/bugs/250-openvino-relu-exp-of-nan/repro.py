"""Relu of NaN gives 0, and Exp of NaN inf, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    both (float[2] x) => (float[2] y, float[2] z) {
        y = Relu (x)
        z = Exp (x)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
results = compiled([np.array([np.nan, 1], np.float32)])
print(f"Relu: {results[0].tolist()}, Exp: {results[1].tolist()}")
sys.exit(not np.isnan(results[0][0]) or not np.isnan(results[1][0]))
