"""The maximum of a tensor ignores NaN."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/118077"
CAUSE = "decomposition"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = ""
OPERATORS = ["ReduceMax"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        reduce (float[2, 5] x) => (float[2] y)
        {
            y = ReduceMax <axes = [1], keepdims = 0> (x)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.reduce_max(x, axis=1)


def inputs():
    return {"x": np.float32([[7, np.nan, -2.5, 11, 0.25], [1, 2, 3, 4, 5]])}


def expected(inputs):
    return [inputs["x"].max(axis=1)]
