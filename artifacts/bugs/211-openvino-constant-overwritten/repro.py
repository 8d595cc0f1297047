"""A model of int8 gives another result at every inference, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    sums (int8[1] x) => (int8[1] y) <int8[1] c = {1}, int8[1] u = {3}> {
        a = Abs (c)
        b = Add (a, x)
        d = Add (b, u)
        y = Add (d, u)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
results = [compiled([np.zeros(1, np.int8)])[0].item() for _ in range(4)]
print(f"|1| + 0 + 3 + 3, four times: {results}")
sys.exit(results != [7] * 4)
