"""Equal takes different integers for equal, and Where rounds them, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    chosen (int32[1] a, int32[1] b, int32[1] c) => (bool[1] same, int32[1] y) <int32 zero = {0}> {
        same = Equal (a, b)
        less = Less (c, a)
        y = Where (less, b, zero)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
a, b = 2**24, 2**24 + 1
same, y = (array.item() for array in compiled([np.array([v], np.int32) for v in (a, b, 1)]).values())
print(f"{a} == {b}: {same}; {b} where 1 < {a}, else 0: {y}")
sys.exit(same or y != b)
