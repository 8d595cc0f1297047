"""Two tensors of RandomNormalLike are equal, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    noise (float[4] x) => (float[4] a, float[4] b) {
        first = RandomNormalLike (x)
        second = RandomNormalLike (x)
        a = Add (first, x)
        b = Add (second, x)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
a, b = (result.tolist() for result in compiled([np.zeros(4, np.float32)]).values())
print("a:", a)
print("b:", b)
sys.exit(a == b)
