"""OneHot sets no element for a negative index, which counts from the end."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/20217"
CAUSE = "import"
WRONG = ["0.25.0", "0.26.0"]
RIGHT = ["0.27.0"]
PART = ""
OPERATORS = ["OneHot"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        one_hot (int64[3] x) => (int64[3, 3] y)
        <int64 depth = {3}, int64[2] values = {0, 1}>
        {
            y = OneHot (x, depth, values)
        }
    """)


def inputs():
    return {"x": np.int64([-1, 0, 2])}


def expected(inputs):
    return [np.eye(3, dtype=np.int64)[inputs["x"]]]
