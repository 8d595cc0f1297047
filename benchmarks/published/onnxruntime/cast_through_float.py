"""A cast of float64 to float32 and back is removed, and its rounding with it."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/17565"
CAUSE = "pattern"
WRONG = ["1.15.1"]
RIGHT = ["1.17.3", "1.20.1", "1.22.1", "1.32.0"]
PART = ""
OPERATORS = ["Cast"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        round (double[4] x) => (double[4] y)
        {
            narrow = Cast <to = 1> (x)
            y = Cast <to = 11> (narrow)
        }
    """)


def inputs():
    return {"x": np.float64([0.1, 16777217, 1e300, -1e-60])}


def expected(inputs):
    with np.errstate(over="ignore"):
        return [inputs["x"].astype(np.float32).astype(np.float64)]
