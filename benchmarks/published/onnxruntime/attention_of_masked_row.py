"""An Attention whose mask leaves a query nothing to look at gives it the mean of all values instead of 0."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/28904"
CAUSE = "kernel"
WRONG = ["1.24.4", "1.26.0", "1.27.0"]
RIGHT = ["1.28.0", "1.32.0"]
PART = ""
OPERATORS = ["Attention"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 23]>
        attend (float[1, 1, 2, 2] query, float[1, 1, 2, 2] key, float[1, 1, 2, 2] value, bool[2, 2] mask)
            => (float[1, 1, 2, 2] y)
        {
            y = Attention <is_causal = 1> (query, key, value, mask)
        }
    """)


def inputs():
    return {
        "query": np.ones((1, 1, 2, 2), np.float32),
        "key": np.ones((1, 1, 2, 2), np.float32),
        "value": np.float32([[[[2, 4], [6, 8]]]]),
        "mask": np.array([[False, True], [True, True]]),
    }


def expected(inputs):
    """Return the right outputs: the first query may look at the first key alone, which the mask excludes."""
    return [np.float32([[[[0, 0], [4, 6]]]])]
