"""ReverseSequence rounds int32 to float32, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    reverse (int32[1, 2] x) => (int32[1, 2] y) <int64[1] length = {2}> {
        y = ReverseSequence <batch_axis = 0, time_axis = 1> (x, length)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([[16777217, 5]], np.int32)
core = openvino.Core()
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel().tolist()
print("due: [5, 16777217], given:", given)
sys.exit(given != [5, 16777217])
