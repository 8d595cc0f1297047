"""BatchNormalization in training mode takes momentum for Torch's, in TVM 0.27.0.post1.

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
    <ir_version: 9, opset_import: ["" : 18]>
    normalize (float[4, 1] x) => (float[1] running_mean)
    <float[1] scale = {1}, float[1] bias = {0}, float[1] mean = {10}, float[1] variance = {4}> {
        y, running_mean, running_variance = BatchNormalization <training_mode = 1> (x, scale, bias, mean, variance)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
x = np.array([[0], [1], [2], [3]], np.float32)
due = ReferenceEvaluator(MODEL).run(None, {"x": x})[0].item()
given = main(tvm.runtime.tensor(x)).numpy().item()
print(f"running mean, due: {due}, TVM: {given}")
sys.exit(abs(due - given) > 1e-3)
