"""Slice to the size of another tensor reads behind the end, in TVM 0.27.0.post1.

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
    cut (float[a] x, float[b] y) => (float[c] z) <int64[1] zero = {0}> {
        size = Shape (y)
        z = Slice (x, zero, size, zero)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
inputs = np.array([1, 2, 3], np.float32), np.zeros(5, np.float32)
given = main(*map(tvm.runtime.tensor, inputs)).numpy().tolist()
print(f"due: [1.0, 2.0, 3.0], TVM: {given}")
sys.exit(given != [1, 2, 3])
