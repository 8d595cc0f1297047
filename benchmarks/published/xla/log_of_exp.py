"""``Log(Exp(x))`` becomes ``x``, although ``Exp(x)`` overflows to infinity."""

import numpy as np

LINK = "https://github.com/openxla/xla/issues/42732"
CAUSE = "pattern"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = "algsimp"
OPERATORS = ["Exp", "Log"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        chain (float[4] x) => (float[4] y)
        {
            power = Exp (x)
            y = Log (power)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.math.log(tf.exp(x))


def inputs():
    return {"x": np.float32([1, 89, 200, -200])}


def expected(inputs):
    with np.errstate(over="ignore", divide="ignore"):
        return [np.log(np.exp(inputs["x"]))]
