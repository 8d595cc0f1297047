"""A right shift by the width of the type is undefined in C++, and shifts nothing."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/28262"
CAUSE = "kernel"
WRONG = ["1.20.1", "1.24.4", "1.26.0"]
RIGHT = ["1.27.0", "1.32.0"]
PART = ""
OPERATORS = ["BitShift"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        shift (uint64[3] x, uint64[3] count) => (uint64[3] y)
        {
            y = BitShift <direction = "RIGHT"> (x, count)
        }
    """)


def inputs():
    return {"x": np.uint64([700, 32, 5]), "count": np.uint64([64, 3, 64])}


def expected(inputs):
    return [np.uint64([0, 4, 0])]
