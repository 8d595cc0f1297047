"""Clip of int64 compares the lower 32 bits as signed numbers: 0 in -1 ... 2687385600 gives 2687385600."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/pull/32475"
CAUSE = "kernel"
WRONG = ["1.22.1"]
RIGHT = ["1.15.1", "1.17.3", "1.20.1", "1.32.0"]
PART = ""
OPERATORS = ["Clip"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        clip (int64[6] x) => (int64[6] y) <int64 low = {-1}, int64 high = {2687385600}>
        {
            y = Clip (x, low, high)
        }
    """)


def inputs():
    return {"x": np.int64([0, 1, -5, 2147483648, 3000000000, 5000000000])}


def expected(inputs):
    return [np.clip(inputs["x"], -1, 2687385600)]
