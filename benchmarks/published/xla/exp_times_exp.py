"""``exp(x) * exp(y)`` becomes ``exp(x + y)``, although one factor overflows."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/123169"
CAUSE = "pattern"
WRONG = ["2.21.0"]
RIGHT = []
PART = "algsimp"
OPERATORS = ["Exp", "Mul"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        multiply (float[3] x, float[3] y) => (float[3] z)
        {
            left = Exp (x)
            right = Exp (y)
            z = Mul (left, right)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x, y: tf.exp(x) * tf.exp(y)


def inputs():
    return {"x": np.float32([200, 95, 1]), "y": np.float32([-198, -94, 2])}


def expected(inputs):
    with np.errstate(over="ignore", invalid="ignore"):
        return [np.exp(inputs["x"]) * np.exp(inputs["y"])]
