"""NonZero of a Cast to int64 takes 0.5 for nonzero, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    places (float[4] x) => (int64[1, n] y) {
        whole = Cast <to = 7> (x)
        y = NonZero (whole)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([0.5, 1, 0, -0.7], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].tolist()
due = [np.nonzero(x.astype(np.int64))[0].tolist()]
print(f"due: {due}, given: {given}")
sys.exit(given != due)
