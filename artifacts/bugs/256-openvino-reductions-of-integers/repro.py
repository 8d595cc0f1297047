"""ReduceMax of int32 rounds to float32, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 20]>
    largest (int32[2] x) => (int32 y) { y = ReduceMax<keepdims=0>(x) }
""")
x = np.array([862390883, 16777217], np.int32)
core = openvino.Core()
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].item()
print(f"due: {x.max()}, given: {given}")
sys.exit(given != x.max())
