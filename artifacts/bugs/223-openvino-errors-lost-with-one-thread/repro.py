"""An inference that fails returns the last results, with one thread, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    sum (float[n] a, float[m] b) => (float[k] y) {
        y = Add (a, b)
    }
""")
core = openvino.Core()
silent = False
for threads in (2, 1):
    options = {"INFERENCE_NUM_THREADS": threads}
    compiled = core.compile_model(core.read_model(MODEL.SerializeToString()), "CPU", options)
    compiled([np.array([1, 2, 3], np.float32), np.array([10, 20, 30], np.float32)])
    try:
        y = compiled([np.ones(3, np.float32), np.ones(4, np.float32)])[0]
        print(f"{threads} thread(s): 3 elements and 4 give {y.tolist()}")
        silent = True
    except RuntimeError as error:
        print(f"{threads} thread(s): {str(error).strip().splitlines()[-1]}")
sys.exit(silent)
