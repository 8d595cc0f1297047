"""The importer folds Min of two constants by NumPy's min, whose second argument is an axis."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/20117"
CAUSE = "folding"
WRONG = ["0.25.0", "0.26.0"]
RIGHT = ["0.27.0"]
PART = ""
OPERATORS = ["Min"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        least (int32[3, 2] x) => (int32[3, 2] y)
        <int32[3, 2] a = {1, -2, 3, -4, 5, -6}, int32 b = {0}>
        {
            least = Min (a, b)
            y = Add (x, least)
        }
    """)


def inputs():
    return {"x": np.zeros((3, 2), np.int32)}


def expected(inputs):
    return [inputs["x"] + np.int32([[0, -2], [0, -4], [0, -6]])]
