"""A Transpose of a square image in front of Pad and SpaceToDepth is dropped, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    blocks (float[1, 1, 2, 2] x) => (float[4, 1, 2, 1] y)
    <int64[8] pads = {0, 0, 0, 0, 0, 0, 2, 0}, int64[4] batch = {4, 1, 2, 1}> {
        turned = Transpose <perm = [0, 1, 3, 2]> (x)
        padded = Pad (turned, pads)
        depth = SpaceToDepth <blocksize = 2> (padded)
        y = Reshape (depth, batch)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[[1, 2], [3, 4]]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel().tolist()
due = np.stack([x[0, 0].T.ravel(), np.zeros(4)], 1).ravel().tolist()
print(f"due:   {due}")
print(f"given: {given}")
sys.exit(given != due)
