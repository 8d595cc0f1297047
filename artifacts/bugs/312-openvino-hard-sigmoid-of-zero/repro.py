"""HardSigmoid with beta 0 and Selu with gamma 0 use the defaults instead, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    activations (float[3] x) => (float[3] hard, float[3] selu) {
        hard = HardSigmoid <alpha = 0.25, beta = 0.0> (x)
        selu = Selu <alpha = 1.0, gamma = 0.0> (x)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([0, 1, 2], np.float32)
core = openvino.Core()
results = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])
hard, selu = results[0].tolist(), results[1].tolist()
print(f"HardSigmoid: due [0.0, 0.25, 0.5], given {hard}")
print(f"Selu:        due [0.0, 0.0, 0.0], given {selu}")
sys.exit(hard != [0, 0.25, 0.5] or selu != [0, 0, 0])
