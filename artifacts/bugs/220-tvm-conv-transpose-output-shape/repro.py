"""ConvTranspose ignores output_shape, in TVM 0.27.0.post1.

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
    upsampled (float[1, 1, 3] x) => (float[1, 1, 5] y) <float[1, 1, 3] w = {1, 2, 4}> {
        y = ConvTranspose <strides = [2], output_shape = [5]> (x, w)
    }
""")
module = tvm.relax.frontend.onnx.from_onnx(MODEL, keep_params_in_input=False)
program = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
result = tvm.relax.VirtualMachine(program, tvm.cpu())["main"](tvm.runtime.tensor(np.ones((1, 1, 3), np.float32)))
print(f"the result is [2, 5, 2, 5, 2], and TVM gives {result.numpy().ravel().tolist()}")
sys.exit(result.numpy().ravel().tolist() != [2, 5, 2, 5, 2])
