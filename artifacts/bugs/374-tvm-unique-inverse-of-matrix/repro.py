"""The inverse indices of Unique of a matrix do not run, in TVM 0.27.0.post1.

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
    inverse (float[2, 2] x) => (int64[4] i) {
        y, first, i = Unique (x)
    }
""")
module = tvm.relax.frontend.onnx.from_onnx(MODEL, keep_params_in_input=False)
program = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
try:
    result = main(tvm.runtime.tensor(np.array([[1, 2], [2, 1]], np.float32))).numpy().tolist()
except RuntimeError as error:
    print(str(error).strip().splitlines()[-1])
    sys.exit("match_cast" in str(error))
print(f"due: [0, 1, 1, 0], given: {result}")
sys.exit(result != [0, 1, 1, 0])
