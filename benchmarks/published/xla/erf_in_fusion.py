"""Erf in a fusion does not reach -1: ``x * (Erf(x) + 1)`` of a large negative number is -1.8e-7 of its size."""

import numpy as np

LINK = "https://github.com/openxla/xla/issues/41122"
CAUSE = "codegen"
WRONG = ["2.14.1", "2.21.0"]
RIGHT = ["2.16.2"]
PART = "fusion"
OPERATORS = ["Erf", "Add", "Mul"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        gate (float[3] x) => (float[3] y) <float one = {1}>
        {
            part = Erf (x)
            share = Add (part, one)
            y = Mul (x, share)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: x * (tf.math.erf(x) + 1)


def inputs():
    return {"x": np.float32([-1e6, -1e4, 0])}


def expected(inputs):
    return [np.zeros(3, np.float32)]
