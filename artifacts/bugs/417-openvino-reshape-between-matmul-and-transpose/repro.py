"""A Reshape of a product to another shape than that of its operand vanishes, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    product (float[2, 1, 3] x) => (float[3, 1, 2] y)
    <float[1, 1] a = {1}, int64[2] flat = {1, 6}, int64[3] other = {1, 2, 3}> {
        transposed = Transpose <perm = [1, 2, 0]> (x)
        columns = Reshape (transposed, flat)
        product = MatMul (a, columns)
        reshaped = Reshape (product, other)
        y = Transpose <perm = [2, 0, 1]> (reshaped)
    }
""")
checker.check_model(MODEL, full_check=True)
core = openvino.Core()
x = np.arange(6, dtype=np.float32).reshape(2, 1, 3)
given = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])[0]
due = x.transpose(1, 2, 0).reshape(1, 2, 3).transpose(2, 0, 1)
print(f"due:   {due.shape}, {due.ravel().tolist()}")
print(f"given: {given.shape}, {given.ravel().tolist()}")
sys.exit(given.shape != due.shape or given.tolist() != due.tolist())
