"""Relu gives 0 for NaN."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/19579"
CAUSE = "codegen"
WRONG = ["0.25.0", "0.26.0", "0.27.0"]
RIGHT = []
PART = ""
OPERATORS = ["Relu"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        rectify (float[4] x) => (float[4] y)
        {
            y = Relu (x)
        }
    """)


def inputs():
    return {"x": np.float32([np.nan, 1, -2, np.nan])}


def expected(inputs):
    return [np.maximum(inputs["x"], 0)]
