"""Two RNN of one input: the first one reads it with batch and sequence swapped, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    two (float[2, 2, 1] x) => (float[2, 1, 2, 1] sums, float[2, 1, 2, 1] same)
    <float[1, 1, 1] one = {1}, float[1, 1, 1] zero = {0}> {
        sums = RNN <hidden_size = 1, activations = ["Relu"]> (x, one, one)
        same = RNN <hidden_size = 1, activations = ["Relu"]> (x, one, zero)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.array([[[1], [10]], [[2], [20]]], np.float32)  # the sequences 1, 2 and 10, 20
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = [result.ravel().tolist() for result in compiled([x]).values()]
due = [x.cumsum(0).ravel().tolist(), x.ravel().tolist()]  # h = Relu(x + 1 * h) and h = Relu(x + 0 * h)
print("due:  ", due)
print("given:", given)
sys.exit(given != due)
