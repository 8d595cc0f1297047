"""Relu6 gives 0 for NaN."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/119628"
CAUSE = "decomposition"
WRONG = ["2.14.1", "2.16.2"]
RIGHT = ["2.21.0"]
PART = ""
OPERATORS = ["Clip"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        clip (float[4] x) => (float[4] y) <float low = {0}, float high = {6}>
        {
            y = Clip (x, low, high)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.nn.relu6(x)


def inputs():
    return {"x": np.float32([np.nan, -1, 3, 7])}


def expected(inputs):
    return [np.clip(inputs["x"], 0, 6)]
