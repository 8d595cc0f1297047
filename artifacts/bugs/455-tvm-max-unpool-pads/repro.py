"""MaxUnpool sums the pads of the wrong axes, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx

# x is what a MaxPool with the same attributes gives of a picture of 4 rows and 2 columns.
MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    unpool (float[1, 1, 2, 2] x, int64[1, 1, 2, 2] places) => (float[1, 1, 4, 2] y) {
        y = MaxUnpool <kernel_shape = [2, 2], pads = [0, 1, 0, 1], strides = [2, 2]> (x, places)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
x = np.array([[[[3, 4], [7, 8]]]], np.float32)
places = np.array([[[[2, 3], [6, 7]]]])
due = [[[[0, 0], [3, 4], [0, 0], [7, 8]]]]
given = main(tvm.runtime.tensor(x), tvm.runtime.tensor(places)).numpy().tolist()
print(f"due: {due}, TVM: {given}")
sys.exit(given != due)
