"""Div and Mod of the least integer by -1 end the process, in TVM 0.27.0.post1 on x86-64.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx


def run(operator, divisor):
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        quotients (int32[2] x, int32[2] y) => (int32[2] z) {{
            z = {operator} (x, y)
        }}
    """)
    checker.check_model(model, full_check=True)
    executable = tvm.relax.build(from_onnx(model, keep_params_in_input=False), tvm.target.Target("llvm"))
    machine = tvm.relax.VirtualMachine(executable, tvm.cpu())
    x, y = np.array([-(2**31), 7], np.int32), np.array([divisor, 2], np.int32)
    z = machine["main"](tvm.runtime.tensor(x), tvm.runtime.tensor(y)).numpy()
    print(f"{operator}({x.tolist()}, {y.tolist()}) gives {z.tolist()}", flush=True)


if len(sys.argv) > 1:
    run(sys.argv[1], int(sys.argv[2]))
    sys.exit(0)
ends = {}
for case in ("Div", "-2"), ("Mod", "-2"), ("Div", "-1"), ("Mod", "-1"):
    child = subprocess.run([sys.executable, __file__, *case], capture_output=True, text=True, check=False)
    ends[case] = child.returncode
    print(child.stdout.strip() or f"{case[0]} by {case[1]} ends the process by signal {-child.returncode}")
sys.exit(int(ends["Mod", "-2"] == 0 and ends["Mod", "-1"] < 0))
