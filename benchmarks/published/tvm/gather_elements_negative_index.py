"""GatherElements uses a negative index as an offset before the row, and does not count from the row's end."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/20217"
CAUSE = "import"
WRONG = ["0.25.0", "0.26.0"]
RIGHT = ["0.27.0"]
PART = ""
OPERATORS = ["GatherElements"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        gather (float[3, 4] x, int64[3, 2] indices) => (float[3, 2] y)
        {
            y = GatherElements <axis = 1> (x, indices)
        }
    """)


def inputs():
    return {
        "x": np.arange(12, dtype=np.float32).reshape(3, 4),
        "indices": np.int64([[3, 0], [-2, 1], [2, -4]]),
    }


def expected(inputs):
    return [np.take_along_axis(inputs["x"], inputs["indices"], axis=1)]
