"""Two Convs of the halves of the channels, in reverse order, take each other's half, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    reordered (float[1, 2, 1] x) => (float[1, 2, 1] y) <float[1, 1, 1] ten = {10}, float[1, 1, 1] hundred = {100}> {
        first, second = Split <axis = 1, num_outputs = 2> (x)
        tens = Conv (first, ten)
        hundreds = Conv (second, hundred)
        y = Concat <axis = 1> (hundreds, tens)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[1], [2]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel().tolist()
due = [2 * 100, 1 * 10]
print(f"due: {due}, given: {given}")
sys.exit(given != due)
