"""The quotient of two constants is computed in float64, which is not exact for large integers."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/20281"
CAUSE = "folding"
WRONG = ["0.25.0", "0.26.0"]
RIGHT = ["0.27.0"]
PART = ""
OPERATORS = ["Div"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        divide (int64[2] x) => (int64[2] y)
            <int64[2] dividend = {18014398509481987, 27021597764222979}, int64[2] divisor = {1, 3}>
        {
            quotient = Div (dividend, divisor)
            y = Add (x, quotient)
        }
    """)


def inputs():
    return {"x": np.int64([0, 0])}


def expected(inputs):
    return [np.int64([18014398509481987, 9007199254740993])]
