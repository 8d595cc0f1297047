"""The importer ignores the attribute output_shape of ConvTranspose, and the result is larger."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/pull/19450"
CAUSE = "import"
WRONG = ["0.25.0", "0.26.0", "0.27.0"]
RIGHT = []
PART = ""
OPERATORS = ["ConvTranspose"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        upsample (float[1, 1, 2, 2] x, float[1, 1, 3, 3] w) => (float[1, 1, 4, 4] y)
        {
            y = ConvTranspose <strides = [2, 2], output_shape = [4, 4]> (x, w)
        }
    """)


def inputs():
    return {
        "x": np.float32([[[[1, 2], [3, 4]]]]),
        "w": np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3),
    }


def expected(inputs):
    full = np.zeros((5, 5), np.float32)  # output_shape removes one element at the end
    for row, column in np.ndindex(2, 2):
        full[2 * row : 2 * row + 3, 2 * column : 2 * column + 3] += inputs["x"][0, 0, row, column] * inputs["w"][0, 0]
    return [full[:4, :4].reshape(1, 1, 4, 4)]
