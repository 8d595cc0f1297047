"""MatMulInteger of a vector with a zero point of shape [1] gives a matrix, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx


def product(axes):
    """Return what TVM gives, with a zero point that has those axes."""
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        product (int8[2] x, int8[2, 2] w) => (int32[2] y) <int8{axes} zero = {{1}}> {{
            y = MatMulInteger (x, w, zero)
        }}
    """)
    checker.check_model(model, full_check=True)
    executable = tvm.relax.build(from_onnx(model, keep_params_in_input=False), tvm.target.Target("llvm"))
    machine = tvm.relax.VirtualMachine(executable, tvm.cpu())
    x, w = np.array([2, 3], np.int8), np.array([[1, 2], [3, 4]], np.int8)
    return machine["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(w)).numpy().tolist()


scalar, vector = product(""), product("[1]")
print("with a scalar zero point:      ", scalar)
print("with a zero point of shape [1]:", vector)
sys.exit(int(scalar == [7, 10] != vector))
