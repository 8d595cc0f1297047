"""ReduceMax of a Reshape from [2, 3, 1] to [2, 1, 1, 3] has a wrong shape, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    largest (float[2, 3, 1] x) => (float[1, 1, 3] y) <int64[4] shape = {2, 1, 1, 3}, int64[1] axis = {0}> {
        r = Reshape (x, shape)
        y = ReduceMax <keepdims = 0> (r, axis)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.arange(6, dtype=np.float32).reshape(2, 3, 1)
core = openvino.Core()
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0]
print("the shape: due [1, 1, 3], given", list(given.shape))
sys.exit(given.shape != (1, 1, 3))
