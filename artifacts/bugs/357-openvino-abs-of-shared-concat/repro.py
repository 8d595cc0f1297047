"""Neg of a Concat is computed of the absolute values next to Abs of it, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    both (float[1] x, float[1] y) => (float[2] magnitudes, float[2] negated) {
        row = Concat <axis = 0> (x, y)
        magnitudes = Abs (row)
        negated = Neg (row)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
inputs = [np.array([-1], np.float32), np.array([2], np.float32)]
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = [result.tolist() for result in compiled(inputs).values()]
due = [[1, 2], [1, -2]]
print(f"due: {due}, given: {given}")
sys.exit(given != due)
