"""A ConvTranspose with a stride of 2 behind a Pad loses elements at both ends, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    padded (float[1, 1, 2] x) => (float[1, 1, 7] y)
    <int64[6] ends = {0, 0, 1, 0, 0, 1}, float[1, 1, 3] weights = {1, 2, 3}> {
        zeros = Pad (x, ends)
        y = ConvTranspose <strides = [2], pads = [1, 1]> (zeros, weights)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[1, 2]]], np.float32)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0].ravel().tolist()
due = np.zeros(9)
for place, number in enumerate([0, 1, 2, 0]):  # with the zeros of Pad
    due[2 * place :][:3] += np.array([1, 2, 3]) * number
due = due[1:-1].tolist()  # without the pads of ConvTranspose
print(f"due:   {due}")
print(f"given: {given}")
sys.exit(given != due)
