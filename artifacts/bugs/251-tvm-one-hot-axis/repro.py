"""OneHot with an axis before the last, counted from the end, does not compile in TVM 0.27.0.post1.

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
    hot (int64[3] x) => (float[2, 3] y) <int64 depth = {2}, float[2] values = {0, 1}> {
        y = OneHot <axis = -2> (x, depth, values)
    }
""")
due = [[1, 0, 1], [0, 1, 0]]
module = tvm.relax.frontend.onnx.from_onnx(MODEL, keep_params_in_input=False)
try:
    program = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
except IndexError as error:
    print("the result is", due, "and TVM says:", error)
    sys.exit(1)
machine = tvm.relax.VirtualMachine(program, tvm.cpu())
print(machine["main"](tvm.runtime.tensor(np.array([0, 1, 0]))).numpy().tolist())
