"""u + (1 - u) is not 1, where u is a random tensor, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    one (float[4] x) => (float[4] y) <float one = {1}> {
        u = RandomUniformLike (x)
        rest = Sub (one, u)
        y = Add (u, rest)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = compiled([np.zeros(4, np.float32)])[0]
print(f"due: {[1.0] * 4}, given: {given.tolist()}")
sys.exit(not np.allclose(given, 1))
