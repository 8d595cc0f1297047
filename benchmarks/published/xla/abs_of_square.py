"""``Abs(x * x)`` becomes ``x * x``, which is negative if int8 wraps around."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/117142"
CAUSE = "pattern"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = "algsimp"
OPERATORS = ["Mul", "Abs"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        square (int8[4] x) => (int8[4] y)
        {
            product = Mul (x, x)
            y = Abs (product)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.abs(x * x)


def inputs():
    return {"x": np.int8([12, 7, 20, 15])}


def expected(inputs):
    return [np.abs(inputs["x"] * inputs["x"])]
