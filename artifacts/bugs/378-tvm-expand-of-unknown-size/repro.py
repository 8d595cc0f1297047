"""Expand of a tensor of unknown size is not imported, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import tvm.relax.frontend.onnx
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    twice (float[1, n] x) => (float[2, n] y) <int64[2] shape = {2, 1}> {
        y = Expand (x, shape)
    }
""")
try:
    tvm.relax.frontend.onnx.from_onnx(MODEL)
except AttributeError as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit("has no attribute 'value'" in str(error))
print("it is imported")
