"""Resize of [height, width, channels] leaves the image as it is, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import tvm
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx


def resized(before, after):
    """Return the shape that TVM gives for a Resize from a shape to another, of which one is a multiple."""
    scales = ", ".join(str(b // a) for a, b in zip(before, after))
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        image (float{before} x) => (float{after} y) <float[{len(before)}] scales = {{{scales}}}> {{
            y = Resize (x, "", scales)
        }}
    """)
    checker.check_model(model, full_check=True)
    executable = tvm.relax.build(from_onnx(model, keep_params_in_input=False), tvm.target.Target("llvm"))
    machine = tvm.relax.VirtualMachine(executable, tvm.cpu())
    return list(machine["main"](tvm.runtime.tensor(np.ones(before, np.float32))).numpy().shape)


shows = False
for layout, before, after in (
    ("NCHW", [1, 3, 2, 2], [1, 3, 4, 4]),
    ("HWC ", [2, 2, 3], [4, 4, 3]),
    ("CHW ", [3, 2, 2], [3, 4, 4]),
    ("NHWC", [1, 2, 2, 3], [1, 4, 4, 3]),
):
    given = resized(before, after)
    print(layout, before, "to", after, "- TVM gives", given)
    shows |= given != after
sys.exit(shows)
