"""Attention adds the mask before the softcap, which bounds it, so that masked keys keep some weight."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/pull/28379"
CAUSE = "kernel"
WRONG = ["1.24.4", "1.26.0"]
RIGHT = ["1.27.0", "1.32.0"]
PART = ""
OPERATORS = ["Attention"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 23]>
        attend (float[1, 1, 2, 2] query, float[1, 1, 3, 2] key, float[1, 1, 3, 2] value, float[2, 3] mask)
            => (float[1, 1, 2, 2] y)
        {
            y = Attention <softcap = 3.0> (query, key, value, mask)
        }
    """)


def inputs():
    return {
        "query": np.zeros((1, 1, 2, 2), np.float32),
        "key": np.ones((1, 1, 3, 2), np.float32),
        "value": np.float32([[[[1, 2], [3, 4], [500, 600]]]]),
        "mask": np.float32([[0, 0, -10000], [-10000, 0, -10000]]),
    }


def expected(inputs):
    """Return the right outputs: all keys have the same score, and the mask leaves two of them, and one."""
    return [np.float32([[[[2, 3], [3, 4]]]])]
