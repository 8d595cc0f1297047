"""Expand to a dynamic size of 1 cuts the tensor, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    expand (float[3, 1] x, float[n, 4] y) => (float[p, q] z) {
        shape = Shape (y)
        z = Expand (x, shape)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
x, y = np.array([[1], [2], [3]], np.float32), np.zeros((1, 4), np.float32)
given = main(tvm.runtime.tensor(x), tvm.runtime.tensor(y)).numpy()
due = np.broadcast_to(x, np.broadcast_shapes(x.shape, y.shape))
print(f"due: {due.tolist()}")
print(f"TVM: {given.tolist()}")
sys.exit(not np.array_equal(given, due))
