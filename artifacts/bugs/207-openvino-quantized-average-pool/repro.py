"""A padded AveragePool between DequantizeLinear and QuantizeLinear pads with the integer 0, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    pooled (int8[1, 1, 1] x) => (int8[1, 1, 1] y) <float two = {2}, int8 point = {1}, float one = {1}, int8 zero = {0}> {
        d = DequantizeLinear (x, two, point)
        p = AveragePool <kernel_shape = [2], pads = [0, 1], count_include_pad = 1> (d)
        y = QuantizeLinear (p, one, zero)
    }
""")
core = openvino.Core()
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
result = compiled([np.zeros((1, 1, 1), np.int8)])[0].item()
print(f"the average of (0 - 1) * 2 and a pad of 0 is -1, and OpenVINO gives {result}")
sys.exit(result != -1)
