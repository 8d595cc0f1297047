"""Resize ignores antialias in the mode linear, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser
from onnx.reference import ReferenceEvaluator

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    resize (float[1, 1, 1, 8] x) => (float[1, 1, 1, 4] y) <float[4] scales = {1.0, 1.0, 1.0, 0.5}> {
        y = Resize <mode = "linear", antialias = 1> (x, , scales)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([1, 4, 9, 16, 25, 36, 49, 64], np.float32).reshape(1, 1, 1, 8)
core = openvino.Core()
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel()
(due,) = ReferenceEvaluator(MODEL).run(None, {"x": x})
print("due:  ", due.ravel())
print("given:", given)
sys.exit(not np.allclose(given, due.ravel(), atol=0.01))
