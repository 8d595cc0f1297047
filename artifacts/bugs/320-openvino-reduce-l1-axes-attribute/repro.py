"""ReduceL1, ReduceLogSum and ReduceLogSumExp of opset 13 ignore their axes, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 13]>
    reductions (float[2, 2] x) => (float[2] l1, float[2] log, float[2] exp) {
        l1 = ReduceL1 <axes = [1], keepdims = 0> (x)
        log = ReduceLogSum <axes = [1], keepdims = 0> (x)
        exp = ReduceLogSumExp <axes = [1], keepdims = 0> (x)
    }
""")
checker.check_model(MODEL, full_check=True)
x = np.array([[1, 2], [3, 4]], np.float32)
core = openvino.Core()
results = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU")([x])
wrong = False
for i, due in enumerate((x.sum(1), np.log(x.sum(1)), np.log(np.exp(x).sum(1)))):
    given = results[i]
    print("due:", due, "given:", given)
    wrong |= given.shape != due.shape or not np.allclose(given, due, rtol=1e-3)
sys.exit(wrong)
