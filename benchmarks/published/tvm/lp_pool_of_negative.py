"""LpPool adds powers of the elements themselves, not of their magnitudes: negative ones count as negative."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/pull/20053"
CAUSE = "decomposition"
WRONG = ["0.25.0"]
RIGHT = ["0.26.0", "0.27.0"]
PART = ""
OPERATORS = ["LpPool"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        pool (float[1, 1, 4] x) => (float[1, 1, 2] y)
        {
            y = LpPool <kernel_shape = [2], strides = [2], p = 1> (x)
        }
    """)


def inputs():
    return {"x": np.float32([[[1, -2, -3, -4]]])}


def expected(inputs):
    return [np.abs(inputs["x"]).reshape(1, 1, 2, 2).sum(axis=3)]
