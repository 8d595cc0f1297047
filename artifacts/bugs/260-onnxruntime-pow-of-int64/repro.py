"""Pow of int64 loses bits beyond 2^53 in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnx
import onnxruntime

model = onnx.parser.parse_model("""
<ir_version: 9, opset_import: ["" : 20]>
g (int64[2] x, int64[2] exponent) => (int64[2] y) { y = Pow(x, exponent) }
""")
x, exponent = np.array([3, 94906267]), np.array([39, 2])
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(given,) = session.run(None, {"x": x, "exponent": exponent})
due = [int(base) ** int(power) for base, power in zip(x, exponent)]
print(f"due:   {due}\ngiven: {given.tolist()}")
sys.exit(given.tolist() != due)
