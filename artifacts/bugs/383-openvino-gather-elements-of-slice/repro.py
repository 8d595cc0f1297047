"""GatherElements of x[:3] takes the last element of x for the index -1, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    last (float[5] x, int64[2] indices) => (float[2] y) <int64[1] begin = {0}, int64[1] end = {3}> {
        first = Slice (x, begin, end)
        y = GatherElements (first, indices)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x, indices = np.array([10, 11, 12, 13, 14], np.float32), np.array([-1, 0])
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x, indices])[0].tolist()
due = x[:3][indices].tolist()
print(f"due: {due}, given: {given}")
sys.exit(given != due)
