"""TopK and Hardmax take the last of two equal largest values, in OpenVINO 2026.4.1 on a CPU with AVX2.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    largest (float[1, 16] x) => (int64[1, 1] index, float[1, 16] one) <int64[1] k = {1}> {
        value, index = TopK <axis = 1> (x, k)
        one = Hardmax <axis = 1> (x)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.zeros((1, 16), np.float32)
x[0, [11, 13]] = 1
core = openvino.Core()
results = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])
given = results[0].item(), results[1].argmax().item()
print("due: 11 of TopK, 11 of Hardmax; given:", *given)
sys.exit(given != (11, 11))
