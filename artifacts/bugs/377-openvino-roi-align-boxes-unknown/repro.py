"""RoiAlign does not compile with boxes of unknown sizes, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    boxes (float[1, 1, 4, 4] x, float[n, four] b) => (float[n, 1, 1, 1] y) <int64[1] image = {0}> {
        y = RoiAlign (x, b, image)
    }
""")
core = openvino.Core()
try:
    core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
except RuntimeError as error:
    print(next(line for line in reversed(str(error).splitlines()) if line))
    sys.exit("ROIAlign" in str(error))
print("it compiles")
