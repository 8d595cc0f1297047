"""Range cuts the fraction off a limit that is half a size, in TVM 0.27.0.post1.

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
    halves (float[5] x) => (float[m] y) <int64 first = {0}, float zero = {0}, float one = {1}, float two = {2}> {
        shape = Shape (x)
        size = Gather (shape, first)
        number = Cast <to = 1> (size)
        half = Div (number, two)
        y = Range (zero, half, one)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
given = main(tvm.runtime.tensor(np.zeros(5, np.float32))).numpy().tolist()
print(f"due: [0.0, 1.0, 2.0], TVM: {given}")
sys.exit(given != [0, 1, 2])
