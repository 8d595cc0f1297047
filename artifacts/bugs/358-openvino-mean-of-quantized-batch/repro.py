"""The mean over the tokens of a quantized batch is 0 behind the first element, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    pooled (float[2, 3, 2] x) => (float[2, 2] y) <float scale = {1}, int8 zero = {0}, int64[1] axis = {1}> {
        bytes = QuantizeLinear (x, scale, zero)
        numbers = DequantizeLinear (bytes, scale, zero)
        y = ReduceMean <keepdims = 0> (numbers, axis)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].tolist()
due = x.mean(1).tolist()
print("due:  ", due)
print("given:", given)
sys.exit(not np.allclose(given, due))
