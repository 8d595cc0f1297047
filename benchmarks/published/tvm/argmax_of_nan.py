"""ArgMax passes over a NaN: no comparison with it is true."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/19558"
CAUSE = "kernel"
WRONG = ["0.25.0", "0.26.0", "0.27.0"]
RIGHT = []
PART = ""
OPERATORS = ["ArgMax"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        largest (float[2, 4] x) => (int64[2] y)
        {
            y = ArgMax <axis = 1, keepdims = 0> (x)
        }
    """)


def inputs():
    return {"x": np.float32([[np.nan, 5, 1, 2], [3, 8, np.nan, 4]])}


def expected(inputs):
    return [inputs["x"].argmax(axis=1)]
