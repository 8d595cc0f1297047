"""Erf gives 1 for NaN, on processors with AVX2."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/28462"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["Erf"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        error (float[4] x) => (float[4] y)
        {
            y = Erf (x)
        }
    """)


def inputs():
    return {"x": np.float32([np.nan, np.inf, -np.inf, 0])}


def expected(inputs):
    return [np.float32([np.nan, 1, -1, 0])]
