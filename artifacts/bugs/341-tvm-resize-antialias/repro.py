"""Resize with antialias=1 gives the result without antialiasing, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
from onnx import checker, parser
from onnx.reference import ReferenceEvaluator
from tvm.relax.frontend.onnx import from_onnx

x = np.array([[[[0, 1, 4, 9]]]], np.float32)


def both(antialias):
    """Return what ONNX's reference and TVM give."""
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        half (float[1, 1, 1, 4] x) => (float[1, 1, 1, 2] y) <float[4] scales = {{1, 1, 1, 0.5}}> {{
            y = Resize <mode = "linear", antialias = {antialias}> (x, "", scales)
        }}
    """)
    checker.check_model(model, full_check=True)
    executable = tvm.relax.build(from_onnx(model, keep_params_in_input=False), tvm.target.Target("llvm"))
    machine = tvm.relax.VirtualMachine(executable, tvm.cpu())
    given = machine["main"](tvm.runtime.tensor(x)).numpy()
    return ReferenceEvaluator(model).run(None, {"x": x})[0].ravel(), given.ravel()


without, with_it = both(0), both(1)
print("antialias=0: the result is", without[0], "and TVM gives", without[1])
print("antialias=1: the result is", with_it[0], "and TVM gives", with_it[1])
sys.exit(int(np.allclose(*without) and not np.allclose(*with_it)))
