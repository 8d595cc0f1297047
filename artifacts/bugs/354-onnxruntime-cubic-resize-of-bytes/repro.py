"""A cubic Resize of bytes fails, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    enlarge (uint8[1, 3, 4, 4] image) => (uint8[1, 3, 8, 8] y) <int64[4] sizes = {1, 3, 8, 8}> {
        y = Resize <mode = "cubic"> (image, , , sizes)
    }
""")
checker.check_model(MODEL, full_check=True)
session = onnxruntime.InferenceSession(MODEL.SerializeToString())
try:
    print("given:", session.run(None, {"image": np.full((1, 3, 4, 4), 7, np.uint8)})[0].ravel()[:4])
except Exception as error:
    print(str(error).strip()[-130:])
    sys.exit("Tensor type mismatch" in str(error))
