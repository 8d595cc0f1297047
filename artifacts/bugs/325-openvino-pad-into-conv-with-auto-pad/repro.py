"""Pad and then Conv with auto_pad SAME_UPPER, of unknown length, is not padded to the same length in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser


def given(length):
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        padded (float[1, 1, {length}] x) => (float[1, 1, m] y)
        <float[1, 1, 3] w = {{1, 10, 100}}, int64[6] pads = {{0, 0, 1, 0, 0, 1}}> {{
            v = Pad (x, pads)
            y = Conv <auto_pad = "SAME_UPPER"> (v, w)
        }}
    """)
    checker.check_model(model, full_check=True)
    x = np.array([[[1, 2, 3, 4]]], np.float32)
    core = openvino.Core()
    return core.compile_model(core.read_model(model.SerializeToString()), "CPU")([x])[0].ravel().tolist()


DUE = [100, 210, 321, 432, 43, 4]
print("due:           ", DUE)
print("known length:  ", given(4))
print("unknown length:", given("n"))
sys.exit(given("n") != DUE)
