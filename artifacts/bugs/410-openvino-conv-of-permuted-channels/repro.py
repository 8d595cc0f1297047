"""Conv of channels in the order 1, 2, 0 multiplies them by other weights, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    permuted (float[1, 3, 1] x) => (float[1, 1, 1] y)
    <int64[3] order = {1, 2, 0}, float[1, 3, 1] weights = {1, 2, 4}> {
        channels = Gather <axis = 1> (x, order)
        y = Conv (channels, weights)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[1], [2], [3]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].item()
due = float(x.ravel()[[1, 2, 0]] @ [1, 2, 4])
print(f"due: {due}, given: {given}")
sys.exit(given != due)
