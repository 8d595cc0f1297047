"""Gemm(Transpose(x), v) does not load if v is also an output through an Identity, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    product (float[2, 2] x, float[2, 2] w) => (float[2, 2] y, float[2, 2] hidden) {
        turned = Transpose <perm = [1, 0]> (x)
        v = Relu (w)
        hidden = Identity (v)
        y = Gemm (turned, v)
    }
""")
checker.check_model(MODEL, full_check=True)
shows = False
for disabled in ["GemmTransposeFusion"], ["EliminateIdentity"], []:
    try:
        onnxruntime.InferenceSession(MODEL.SerializeToString(), disabled_optimizers=disabled)
        print("without", disabled, "it loads")
    except Exception as error:
        print("without", disabled, str(error))
        shows = not disabled and "Node input 'v'" in str(error)
sys.exit(shows)
