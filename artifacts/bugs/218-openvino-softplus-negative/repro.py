"""Softplus gives a negative number, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    logarithm (float[2] x) => (float[2] s, float[2] y) {
        s = Softplus (x)
        y = Log (s)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
X = np.array([-18, -8.9], np.float32)
s, y = compiled([X]).values()
due = np.log1p(np.exp(X))
for x, right, given, log in zip(X, due, s, y):
    print(f"Softplus({x:.3}) is {right:.4}, and OpenVINO gives {given:.4}; its Log is {log:.4}")
sys.exit(not (s > 0).all())
