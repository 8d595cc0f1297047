"""A cast of int32 to uint32 and then to int64 becomes one of int32 to int64: -1 stays -1."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/pull/17953"
CAUSE = "pattern"
WRONG = ["1.15.1"]
RIGHT = ["1.17.3", "1.20.1", "1.22.1", "1.32.0"]
PART = ""
OPERATORS = ["Cast"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        wrap (int32[4] x) => (int64[4] y)
        {
            unsigned = Cast <to = 12> (x)
            y = Cast <to = 7> (unsigned)
        }
    """)


def inputs():
    return {"x": np.int32([-1, 0, 7, -2147483648])}


def expected(inputs):
    return [inputs["x"].astype(np.uint32).astype(np.int64)]
