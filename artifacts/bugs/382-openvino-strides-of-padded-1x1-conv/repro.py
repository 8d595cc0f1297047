"""A strided 1x1 Conv with a pad picks other elements behind Relu, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    strided (float[1, 1, 4] x) => (float[1, 1, 3] y) <float[1, 1, 1] one = {1}> {
        positive = Relu (x)
        y = Conv <kernel_shape = [1], strides = [2], pads = [1, 0]> (positive, one)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[1, 2, 3, 4]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel().tolist()
due = np.pad(x.ravel(), (1, 0))[::2].tolist()
print(f"due: {due}, given: {given}")
sys.exit(given != due)
