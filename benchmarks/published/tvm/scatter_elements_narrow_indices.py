"""ScatterElements uses the data's shape as that of its indices, and writes to the wrong places."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/20182"
CAUSE = "kernel"
WRONG = ["0.25.0", "0.26.0", "0.27.0"]
RIGHT = []
PART = ""
OPERATORS = ["ScatterElements"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        scatter (float[2, 3, 4] data, int64[1, 3, 1] indices, float[1, 3, 1] updates) => (float[2, 3, 4] y)
        {
            y = ScatterElements <axis = 0> (data, indices, updates)
        }
    """)


def inputs():
    return {
        "data": np.zeros((2, 3, 4), np.float32),
        "indices": np.int64([[[1], [0], [1]]]),
        "updates": np.float32([[[7], [8], [9]]]),
    }


def expected(inputs):
    result = inputs["data"].copy()
    for place, index in np.ndenumerate(inputs["indices"]):
        result[(index, *place[1:])] = inputs["updates"][place]
    return [result]
