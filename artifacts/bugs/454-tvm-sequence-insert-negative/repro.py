"""SequenceInsert at a negative position inserts one place too late, in TVM 0.27.0.post1.

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
    insert (float[1] a, float[1] b, float[1] c) => (float[n] y) <int64 last = {-1}> {
        two = SequenceConstruct (a, b)
        three = SequenceInsert (two, c, last)
        y = ConcatFromSequence <axis = 0> (three)
    }
""")
checker.check_model(MODEL, full_check=True)
program = tvm.compile(from_onnx(MODEL, keep_params_in_input=False), target=tvm.target.Target("llvm"))
main = tvm.relax.VirtualMachine(program, tvm.cpu())["main"]
inputs = {name: np.array([value], np.float32) for name, value in (("a", 1), ("b", 2), ("c", 3))}
due = ReferenceEvaluator(MODEL).run(None, inputs)[0].tolist()
given = main(*map(tvm.runtime.tensor, inputs.values())).numpy().tolist()
print(f"due: {due}, TVM: {given}")
sys.exit(given != due)
