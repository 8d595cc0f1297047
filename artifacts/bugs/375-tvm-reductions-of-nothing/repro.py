"""The sum over no elements is what the memory holds, in TVM 0.27.0.post1.

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
    total (float[2, 4096] x, bool[2] mask) => (float[4096] y) <int64[1] axes = {0}> {
        chosen = Compress <axis = 0> (x, mask)
        y = ReduceSum <keepdims = 0> (chosen, axes)
    }
""")
module = tvm.relax.frontend.onnx.from_onnx(MODEL, keep_params_in_input=False)
program = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
x, none, both = np.full((2, 4096), 7, np.float32), np.array([False, False]), np.array([True, True])
wrong = 0
for _ in range(5):  # memory that held other numbers
    main(tvm.runtime.tensor(x), tvm.runtime.tensor(both))
    wrong += np.count_nonzero(main(tvm.runtime.tensor(x), tvm.runtime.tensor(none)).numpy())
print(f"sums over no elements: 0 is due, and {wrong} of {5 * 4096} differ")
sys.exit(wrong > 0)
