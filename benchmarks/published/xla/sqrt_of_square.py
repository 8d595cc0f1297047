"""``sqrt(abs(x * x))`` becomes ``abs(x)``, although the square overflows."""

import numpy as np

LINK = "https://github.com/jax-ml/jax/issues/37919"
CAUSE = "pattern"
WRONG = ["2.21.0"]
RIGHT = []
PART = "algsimp"
OPERATORS = ["Mul", "Sqrt"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        root (float[3] x) => (float[3] y)
        {
            square = Mul (x, x)
            magnitude = Abs (square)
            y = Sqrt (magnitude)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.sqrt(tf.abs(x * x))


def inputs():
    return {"x": np.float32([-3e25, 2, 7e30])}


def expected(inputs):
    with np.errstate(over="ignore"):
        return [np.sqrt(np.abs(inputs["x"] * inputs["x"]))]
