"""The Sign of NaN is 0: a NaN is neither above nor below 0."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/19572"
CAUSE = "kernel"
WRONG = ["0.26.0", "0.27.0"]
RIGHT = ["0.25.0"]
PART = ""
OPERATORS = ["Sign"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        sign (float[4] x) => (float[4] y)
        {
            y = Sign (x)
        }
    """)


def inputs():
    return {"x": np.float32([-2, np.nan, 0, 7])}


def expected(inputs):
    return [np.sign(inputs["x"])]
