"""MatMul(x, w) * 2 with a vector w does not compile, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    scores (float[2, 3, 2] x) => (float[2, 3] y) <float[2] w = {1, 10}, float two = {2}> {
        product = MatMul (x, w)
        y = Mul (product, two)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
try:
    compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
except RuntimeError as error:
    print(error)
    sys.exit("MatMulMultiplyFusion" in str(error))
print(compiled([np.ones((2, 3, 2), np.float32)])[0])
