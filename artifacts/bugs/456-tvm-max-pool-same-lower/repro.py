"""MaxPool with auto_pad=SAME_LOWER drops the last window, in TVM 0.27.0.post1.

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
    pool (float[1, 1, 5] x) => (float[1, 1, 3] y) {
        y = MaxPool <auto_pad = "SAME_LOWER", kernel_shape = [2], strides = [2]> (x)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
x = np.array([[[1, 2, 3, 4, 5]]], np.float32)
due = [[[1, 3, 5]]]  # ceil(5 / 2) windows, the first of which begins one place before x
given = main(tvm.runtime.tensor(x)).numpy().tolist()
print(f"due: {due}, TVM: {given}")
sys.exit(given != due)
