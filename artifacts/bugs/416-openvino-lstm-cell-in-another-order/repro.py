"""An LSTM cell with the order o, c, f, i takes the gate i for the gate o, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    cell (float[1, 1] x, float[1, 1] h, float[1, 1] c) => (float[1, 1] new_h, float[1, 1] new_c)
    <float[2, 4] weights = {0, 0, 0, 0, 0, 0, 0, 0}, float[4] bias = {-100, 100, -100, 100}, float one = {1}> {
        xh = Concat <axis = 1> (x, h)
        product = MatMul (xh, weights)
        sums = Add (product, bias)
        o, g, f, i = Split <axis = 1, num_outputs = 4> (sums)
        f_biased = Add (f, one)
        output = Sigmoid (o)
        candidate = Tanh (g)
        forget = Sigmoid (f_biased)
        input = Sigmoid (i)
        added = Mul (input, candidate)
        kept = Mul (forget, c)
        new_c = Add (added, kept)
        activated = Tanh (new_c)
        new_h = Mul (activated, output)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
one = np.ones((1, 1), np.float32)
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = [result.item() for result in compiled({"x": one, "h": one, "c": one}).values()]
due = [0, 1]  # o and f are sigmoid(-100), g is tanh(100) and i is sigmoid(100)
print(f"due: {due}, given: {given}")
sys.exit(given != due)
