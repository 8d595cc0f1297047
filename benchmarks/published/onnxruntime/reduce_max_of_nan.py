"""ReduceMax ignores NaN, depending on how many there are."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/10514"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1", "1.32.0"]
RIGHT = []
PART = ""
OPERATORS = ["ReduceMax"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        reduce (float[4, 4] x) => (float[4] y)
        {
            y = ReduceMax <axes = [1], keepdims = 0> (x)
        }
    """)


def inputs():
    nan = np.nan
    return {"x": np.float32([[nan, nan, nan, 42], [nan, 1, 2, 3], [1, nan, 2, 3], [1, 2, 3, nan]])}


def expected(inputs):
    return [np.full(4, np.nan, np.float32)]
