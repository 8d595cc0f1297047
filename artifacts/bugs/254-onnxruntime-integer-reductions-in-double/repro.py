"""ONNX Runtime 1.27 to 1.32 lose bits of int64 beyond 2^53 in ReduceSum.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnx
import onnxruntime

model = onnx.parser.parse_model("""
<ir_version: 9, opset_import: ["" : 20]>
g (int64[2] x) => (int64 y) { y = ReduceSum<keepdims=0>(x) }
""")
x = np.array([2**53, 1])
(given,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})
print(f"due: {x.sum()}, given: {given}")
sys.exit(given != x.sum())
