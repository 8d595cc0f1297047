"""-5 / 2 of integers is -3 where it is folded, and -2 where it is not, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser


def given(size):
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        half (float[{size}] x) => (int64[1] y) <int64 two = {{2}}> {{
            shape = Shape (x)
            negative = Neg (shape)
            y = Div (negative, two)
        }}
    """)
    checker.check_model(model, full_check=True)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    return compiled([np.zeros(5, np.float32)])[0].item()


print(f"-5 / 2: due -2; given {given('n')} of an unknown size, {given(5)} of a known one")
sys.exit(given(5) != -2)
