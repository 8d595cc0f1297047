"""Cast to bool of NaN and of the smallest int32 gives false, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    casts (float[2] x, int32[2] i) => (bool[2] a, bool[2] b) {
        a = Cast <to = 9> (x)
        b = Cast <to = 9> (i)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
results = compiled([np.array([np.nan, 1], np.float32), np.array([-(2**31), 1], np.int32)])
given = results[0].tolist() + results[1].tolist()
print("NaN, 1.0, -2147483648, 1: due all True, given", given)
sys.exit(not all(given))
