"""A Cast from float8 gives zeros a number near 0: its bits are moved into a float, and the exponent is adjusted."""

import ml_dtypes
import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/20315"
CAUSE = "codegen"
WRONG = ["0.27.0"]
RIGHT = []
PART = ""
OPERATORS = ["Cast"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 9, opset_import: ["" : 19]>
        widen (float8e4m3fn[4] x) => (float[4] y)
        {
            y = Cast <to = 1> (x)
        }
    """)


def inputs():
    return {"x": np.array([0, 1, -0.0, 2], ml_dtypes.float8_e4m3fn)}


def expected(inputs):
    return [inputs["x"].astype(np.float32)]
