"""A Cast through float16 to uint8 skips the rounding to float16, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    bytes (float[2] x) => (uint8[2] y) {
        half = Cast <to = 10> (x)
        y = Cast <to = 2> (half)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([64.98, 1.9999], np.float32)
(given,) = onnxruntime.InferenceSession(MODEL.SerializeToString()).run(None, {"x": x})
due = x.astype(np.float16).astype(np.uint8)
print("due:  ", due.tolist())
print("given:", given.tolist())
sys.exit(given.tolist() != due.tolist())
