"""A sum of integers divided by a constant is rounded to the nearest integer, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    mean (int64[2, 3] x) => (int64[2] y) <int64[1] axis = {1}, int64 three = {3}> {
        sum = ReduceSum <keepdims = 0> (x, axis)
        y = Div (sum, three)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([[1, 1, 0], [2, 2, 1]], np.int64)
core = openvino.Core()
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].tolist()
print(f"2 / 3, 5 / 3: due [0, 1], given {given}")
sys.exit(given != [0, 1])
