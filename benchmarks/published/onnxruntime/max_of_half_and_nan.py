"""Max of float16 returns the first argument if the second is NaN."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/pull/22161"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3"]
RIGHT = ["1.20.1", "1.22.1", "1.32.0"]
PART = ""
OPERATORS = ["Max"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        larger (float16[4] a, float16[4] b) => (float16[4] y)
        {
            y = Max (a, b)
        }
    """)


def inputs():
    return {"a": np.float16([np.nan, 1, -2, 3]), "b": np.float16([1, np.nan, 3, -4])}


def expected(inputs):
    return [np.maximum(inputs["a"], inputs["b"])]
