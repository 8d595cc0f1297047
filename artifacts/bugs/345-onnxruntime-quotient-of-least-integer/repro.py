"""Div of the least integer by -1 ends the process, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import subprocess
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser


def run(operator, kind):
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        quotients ({kind}[2] x, {kind}[2] y) => ({kind}[2] z) {{
            z = {operator} (x, y)
        }}
    """)
    checker.check_model(model, full_check=True)
    x = np.array([np.iinfo(kind).min, 7], kind)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    print(operator, "of", kind, "gives", session.run(None, {"x": x, "y": np.array([-1, 1], kind)})[0].tolist(), flush=True)


if len(sys.argv) > 1:
    run(*sys.argv[1:])
    sys.exit(0)
ends = {}
for case in ("Mod", "int32"), ("Mod", "int64"), ("Div", "int8"), ("Div", "int32"), ("Div", "int64"):
    child = subprocess.run([sys.executable, __file__, *case], capture_output=True, text=True, check=False)
    ends[case] = child.returncode
    print(child.stdout.strip() or f"{case[0]} of {case[1]} ends the process by signal {-child.returncode}")
sys.exit(int(ends["Mod", "int32"] == 0 and (ends["Div", "int32"] < 0 or ends["Div", "int64"] < 0)))
