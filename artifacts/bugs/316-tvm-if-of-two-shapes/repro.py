"""No operator compiles on the result of an If whose branches have different shapes, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnx
import tvm
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx

MODEL = """
    <ir_version: 9, opset_import: ["" : 18]>
    choice (float[2, 2] x, bool c) => (float[N, 2] y) {
        v = If (c) <
            then_branch = taken () => (float[2, 2] a) { a = Relu (x) },
            else_branch = other () => (float[SIZE, 2] b) { b = OTHER }
        >
        y = Neg (v)
    }
"""
shows = False
for size, other in ("2", "Abs (x)"), ("4", "Concat <axis = 0> (x, x)"):
    model = parser.parse_model(MODEL.replace("SIZE", size).replace("OTHER", other))
    checker.check_model(model, full_check=True)
    module = from_onnx(model, keep_params_in_input=False)
    try:
        tvm.relax.build(module, tvm.target.Target("llvm"))
        print(f"branches of 2 and {size} rows: it compiles")
    except Exception as error:
        print(f"branches of 2 and {size} rows:", str(error).splitlines()[0])
        shows = size == "4" and "CodeGenVM cannot emit" in str(error)
sys.exit(shows)
