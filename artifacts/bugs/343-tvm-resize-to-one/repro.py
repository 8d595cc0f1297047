"""Resize with align_corners to a size of 1 does not compile, in TVM 0.27.0.post1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import tvm
from onnx import checker, parser
from tvm.relax.frontend.onnx import from_onnx


def failure(width):
    """Return the last line of the error that an image of a width gets, made twice as high, or an empty text."""
    model = parser.parse_model(f"""
        <ir_version: 9, opset_import: ["" : 18]>
        image (float[1, 1, 2, {width}] x) => (float[1, 1, 4, {width}] y) <int64[4] sizes = {{1, 1, 4, {width}}}> {{
            y = Resize <mode = "linear", coordinate_transformation_mode = "align_corners"> (x, "", "", sizes)
        }}
    """)
    checker.check_model(model, full_check=True)
    module = from_onnx(model, keep_params_in_input=False)
    try:
        tvm.relax.build(module, tvm.target.Target("llvm"))
    except Exception as error:
        return str(error).strip().splitlines()[-1]
    return ""


wide, narrow = failure(2), failure(1)
print("width 2:", wide or "it compiles")
print("width 1:", narrow or "it compiles")
sys.exit(int("Divide by zero" in narrow and not wide))
