"""ConvTranspose with output_shape gives other values where the batch is unknown, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import openvino
from onnx import parser

MODEL = """
    <ir_version: 9, opset_import: ["" : 18]>
    upsampled (float[BATCH, 1, 3] x) => (float[BATCH, 1, 5] y) <float[1, 1, 3] w = {1, 2, 4}> {
        y = ConvTranspose <strides = [2], output_shape = [5]> (x, w)
    }
"""
core = openvino.Core()
results = {}
for batch in ("1", "n"):
    model = parser.parse_model(MODEL.replace("BATCH", batch))
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
    results[batch] = compiled([np.ones((1, 1, 3), np.float32)])[0].ravel().tolist()
    print(f"with a batch of {batch}: {results[batch]}")
print("the uncut result is [1, 2, 5, 2, 5, 2, 4], and ONNX cuts an element at either end")
sys.exit(results["n"] != [2, 5, 2, 5, 2])
