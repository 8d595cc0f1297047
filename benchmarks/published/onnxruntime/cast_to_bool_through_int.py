"""A cast of float32 to int32 and then to bool becomes one of float32 to bool: 0.5 gives True."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/28089"
CAUSE = "pattern"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["Cast"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        truncate (float[5] x) => (bool[5] y)
        {
            whole = Cast <to = 6> (x)
            y = Cast <to = 9> (whole)
        }
    """)


def inputs():
    return {"x": np.float32([-0.5, 0, 0.5, 1, -2.5])}


def expected(inputs):
    return [inputs["x"].astype(np.int32).astype(bool)]
