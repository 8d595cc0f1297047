"""RoiAlign shifts the boxes before it scales them, in TVM 0.27.0.post1.

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
    <ir_version: 9, opset_import: ["" : 16]>
    align (float[1, 1, 8, 8] x, float[1, 4] box, int64[1] batch) => (float[1, 1, 1, 1] y) {
        y = RoiAlign <spatial_scale = 0.25, sampling_ratio = 2> (x, box, batch)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
inputs = {
    "x": np.tile(np.arange(8, dtype=np.float32) * 5, (8, 1))[None, None],
    "box": np.array([[4, 4, 12, 12]], np.float32),
    "batch": np.array([0]),
}
due = ReferenceEvaluator(MODEL).run(None, inputs)[0].item()
given = main(*map(tvm.runtime.tensor, inputs.values())).numpy().item()
print(f"due: {due}, TVM: {given}")
sys.exit(abs(due - given) > 1e-3)
