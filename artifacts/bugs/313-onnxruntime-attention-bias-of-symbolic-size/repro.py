"""com.microsoft.Attention with a bias of symbolic size has an inferred size of 0, in ONNX Runtime 1.32.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
from onnx import parser

MODEL = """
    <ir_version: 9, opset_import: ["" : 18, "com.microsoft" : 1]>
    attention (float[1, 2, 4] x, float[4, 12] w, float[SIZE] bias, float[4] r) => (float[1, 2, 4] y) {
        mixed = com.microsoft.Attention <num_heads = 1> (x, w, bias)
        y = Add (mixed, r)
    }
"""
shows = False
for size in "12", "n":
    try:
        onnxruntime.InferenceSession(parser.parse_model(MODEL.replace("SIZE", size)).SerializeToString())
        print(f"bias of size {size}: it loads")
    except Exception as error:
        print(f"bias of size {size}:", error)
        shows = size == "n" and "Incompatible dimensions" in str(error)
sys.exit(shows)
