"""Mish after attention does not compile, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 20]>
    attention (float[1, 9, 8] q, float[1, 8, 9] k, float[1, 9, 8] v) => (float[1, 9, 8] y) {
        scores = MatMul (q, k)
        weights = Softmax <axis = -1> (scores)
        mixed = MatMul (weights, v)
        y = Mish (mixed)
    }
""")
core = openvino.Core()
try:
    core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
except RuntimeError as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit("Mish" in str(error))
print("it compiles")
