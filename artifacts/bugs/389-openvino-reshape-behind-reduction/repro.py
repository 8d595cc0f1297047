"""A Reshape to one row behind ReduceSum without keepdims vanishes, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    flat (float[2, 2, 2] x) => (float[1, 4] y) <int64[1] axis = {0}, int64[2] row = {1, -1}> {
        sums = ReduceSum <keepdims = 0> (x, axis)
        y = Reshape (sums, row)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].tolist()
due = x.sum(0).reshape(1, -1).tolist()
print(f"due: {due}, given: {given}")
sys.exit(given != due)
