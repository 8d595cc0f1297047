"""ScatterElements and ScatterND with max or min lose a NaN of the data, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import checker, parser

MODEL = parser.parse_model("""
    <ir_version: 9, opset_import: ["" : 18]>
    scatter (float[2] data, int64[2] index, int64[2, 1] indices, float[2] updates) => (float[2] a, float[2] b) {
        a = ScatterElements <reduction = "max"> (data, index, updates)
        b = ScatterND <reduction = "min"> (data, indices, updates)
    }
""")
checker.check_model(MODEL, full_check=True)
index = np.array([0, 1])
data, updates = np.array([np.nan, 1], np.float32), np.array([1, np.nan], np.float32)
inputs = {"data": data, "index": index, "indices": index[:, None], "updates": updates}
given = onnxruntime.InferenceSession(MODEL.SerializeToString()).run(None, inputs)
print("due:            ", np.maximum(data, updates))
print("ScatterElements:", given[0])
print("ScatterND:      ", given[1])
sys.exit(not np.isnan(given).all())
