"""A Resize by a scale that is no integer computes with the quotient of the rounded sizes instead of the scale."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/issues/19570"
CAUSE = "import"
WRONG = ["0.25.0", "0.26.0", "0.27.0"]
RIGHT = []
PART = ""
OPERATORS = ["Resize"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        grow (float[1, 1, 1, 5] x) => (float[1, 1, 1, 7] y) <float[4] scales = {1, 1, 1, 1.5}>
        {
            y = Resize <mode = "linear", coordinate_transformation_mode = "asymmetric"> (x, , scales)
        }
    """)


def inputs():
    return {"x": np.float32([[[[0, 3, 6, 9, 12]]]])}


def expected(inputs):
    """Return the right outputs: the input is linear, and so are the values between its elements."""
    return [np.minimum(np.arange(7) / 1.5 * 3, 12).astype(np.float32).reshape(1, 1, 1, 7)]
