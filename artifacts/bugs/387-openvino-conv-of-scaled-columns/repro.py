"""Conv of columns with factors of their own multiplies the kernel by the factors, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    scaled (float[1, 1, 3] x) => (float[1, 1, 3] y) <float[3] c = {1, 8, 64}, float[1, 1, 3] ones = {1, 1, 1}> {
        product = Mul (x, c)
        y = Conv <pads = [1, 1]> (product, ones)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[1, 1, 1]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel().tolist()
due = np.convolve(x.ravel() * [1, 8, 64], [1, 1, 1], "same").tolist()
print(f"due: {due}, given: {given}")
sys.exit(given != due)
