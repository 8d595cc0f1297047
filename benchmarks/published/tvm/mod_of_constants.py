"""The importer folds Mod of constant integers by NumPy's fmod, which takes the dividend's sign, not the divisor's."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/pull/20170"
CAUSE = "folding"
WRONG = ["0.25.0", "0.26.0"]
RIGHT = ["0.27.0"]
PART = ""
OPERATORS = ["Mod"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        remainder (int32[4] x) => (int32[4] y)
        <int32[4] a = {-7, 7, -7, 9}, int32[4] b = {2, -2, -2, 4}>
        {
            rest = Mod (a, b)
            y = Add (x, rest)
        }
    """)


def inputs():
    return {"x": np.int32([0, 10, 20, 30])}


def expected(inputs):
    return [inputs["x"] + np.int32([1, -1, -1, 1])]
