"""The mean of int32 divides a sum that has wrapped around: the mean of 2147483647 and itself is -1."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/125978"
CAUSE = "decomposition"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = ""
OPERATORS = ["ReduceMean"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        reduce (int32[2, 2] x) => (int32[2] y)
        {
            y = ReduceMean <axes = [1], keepdims = 0> (x)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.reduce_mean(x, axis=1)


def inputs():
    return {"x": np.int32([[2147483647, 2147483647], [1, 3]])}


def expected(inputs):
    return [inputs["x"].astype(np.int64).mean(axis=1).astype(np.int32)]
