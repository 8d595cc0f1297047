"""NonMaxSuppression without a threshold of scores drops a box whose score is negative, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
import tvm.relax.frontend.onnx
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    boxes (float[1, 2, 4] b, float[1, 1, 2] s) => (int64[n, 3] y) <int64 most = {2}, float overlap = {0.5}> {
        y = NonMaxSuppression (b, s, most, overlap)
    }
""")
BOXES = np.array([[[0, 0, 1, 1], [2, 2, 3, 3]]], np.float32)
SCORES = np.array([[[0.9, -0.5]]], np.float32)
module = tvm.relax.frontend.onnx.from_onnx(MODEL, keep_params_in_input=False)
program = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
result = main(tvm.runtime.tensor(BOXES), tvm.runtime.tensor(SCORES)).numpy().tolist()
print(f"two boxes apart: [[0, 0, 0], [0, 0, 1]], and TVM gives {result}")
sys.exit(result != [[0, 0, 0], [0, 0, 1]])
