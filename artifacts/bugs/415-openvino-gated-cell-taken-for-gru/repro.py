"""A gated cell that mixes another state than its gates read takes the state of the gates, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    cell (float[1, 1] x, float[1, 1] h, float[1, 1] k) => (float[1, 1] y)
    <float[2, 2] gate_weights = {0, 0, 0, 0}, float[1, 2] weights = {0, 0}, float one = {1}> {
        xh = Concat <axis = 1> (x, h)
        sums = Gemm <transB = 1> (xh, gate_weights)
        gates = Sigmoid (sums)
        r, z = Split <axis = 1, num_outputs = 2> (gates)
        rh = Mul (r, h)
        xrh = Concat <axis = 1> (x, rh)
        sum = Gemm <transB = 1> (xrh, weights)
        n = Tanh (sum)
        rest = Sub (one, z)
        new = Mul (rest, n)
        old = Mul (z, k)
        y = Add (new, old)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
h, k = np.array([[2]], np.float32), np.array([[4]], np.float32)
compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")
given = compiled({"x": np.ones((1, 1), np.float32), "h": h, "k": k})[0].item()
due = 0.5 * 0 + 0.5 * 4  # of weights 0, all gates are sigmoid(0), and n is tanh(0)
print(f"due: {due}, given: {given}")
sys.exit(given != due)
