"""``Log(Pow(x, x))`` becomes ``x * Log(Abs(x))``, which is finite even if the power is NaN."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/57744"
CAUSE = "pattern"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = "algsimp"
OPERATORS = ["Pow", "Log"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        chain (float[3] x) => (float[3] y)
        {
            power = Pow (x, x)
            y = Log (power)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.math.log(tf.pow(x, x))


def inputs():
    return {"x": np.float32([-1.5, -2.5, 2])}


def expected(inputs):
    with np.errstate(invalid="ignore"):
        return [np.log(inputs["x"] ** inputs["x"])]
