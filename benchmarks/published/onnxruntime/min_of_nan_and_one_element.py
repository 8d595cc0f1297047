"""Min of NaN and a tensor of one element gives that element, not NaN."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/21455"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3"]
RIGHT = ["1.20.1", "1.22.1", "1.32.0"]
PART = ""
OPERATORS = ["Min"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        bound (float[3, 1] x) => (float[3, 1] y) <float[1] limit = {10}>
        {
            y = Min (x, limit)
        }
    """)


def inputs():
    return {"x": np.float32([[np.nan], [1], [20]])}


def expected(inputs):
    return [np.minimum(inputs["x"], np.float32(10))]
