"""A nearest Resize from 14 to 2 takes the pixel before the right one, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    shrink (float[1, 1, 14] x) => (float[1, 1, 2] y) <int64[3] sizes = {1, 1, 2}> {
        y = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"> (x, , , sizes)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.arange(14, dtype=np.float32)[None, None]
given = onnxruntime.InferenceSession(MODEL.SerializeToString()).run(None, {"x": x})[0].ravel().tolist()
due = [0, 7]  # 0 * 14 / 2 and 1 * 14 / 2
print("due:  ", due)
print("given:", given)
sys.exit(given != due)
