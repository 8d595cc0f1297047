"""LayerNormalization with a scale of lower rank normalizes other axes, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
from onnx import checker, parser
from onnx.reference import ReferenceEvaluator
from tvm.relax.frontend.onnx import from_onnx

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 17]>
    normalize (float[1, 2, 2] x) => (float[1, 2, 2] y) <float[2] scale = {1, 1}> {
        y = LayerNormalization <axis = 1> (x, scale)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
x = np.array([[[1, 2], [3, 4]]], np.float32)
due = ReferenceEvaluator(MODEL).run(None, {"x": x})[0]
given = main(tvm.runtime.tensor(x)).numpy()
print(f"due: {due.round(3).tolist()}, TVM: {given.round(3).tolist()}")
sys.exit(not np.allclose(given, due, atol=1e-3))
