"""A factor behind one of two grouped Convs of shared weights multiplies both, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    shared (float[1, 2, 1] x, float[1, 2, 1] z, float[2, 1, 1] weights) => (float[1, 2, 1] y, float[1, 2, 1] v)
    <float ten = {10}> {
        one = Conv <group = 2> (x, weights)
        y = Mul (one, ten)
        v = Conv <group = 2> (z, weights)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[1], [2]]], np.float32)
weights = np.array([[[1]], [[2]]], np.float32)
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = [result.ravel().tolist() for result in compiled({"x": x, "z": x, "weights": weights}).values()]
due = [[10, 40], [1, 4]]
print(f"due: {due}, given: {given}")
sys.exit(given != due)
