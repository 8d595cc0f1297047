"""PRelu of swapped channels takes the slopes of the channels before the swap, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    swapped (float[1, 2, 1] x) => (float[1, 1, 1] y)
    <int64[2] swap = {1, 0}, float[2, 1] slopes = {2, 3}, float[1, 2, 1] ones = {1, 1}> {
        channels = Gather <axis = 1> (x, swap)
        sloped = PRelu (channels, slopes)
        y = Conv (sloped, ones)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[-1], [-2]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].item()
due = float(x.ravel()[[1, 0]] @ [2, 3])
print(f"due: {due}, given: {given}")
sys.exit(given != due)
