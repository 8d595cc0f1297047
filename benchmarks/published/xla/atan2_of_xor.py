"""An ``xor`` of equal operands is folded to 0, and ``atan2(0, 0)`` then to NaN."""

import numpy as np

LINK = "https://github.com/jax-ml/jax/issues/38681"
CAUSE = "folding"
WRONG = ["2.21.0"]
RIGHT = []
PART = ""
OPERATORS = ["BitwiseXor", "atan2"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 18, "angles" : 1]>
        cancel (int32[3] x) => (float[3] y)
        {
            zero = BitwiseXor (x, x)
            number = Cast <to = 1> (zero)
            y = angles.atan2 (number, number)
        }
        <domain: "angles", opset_import: ["" : 18]>
        atan2 (sine, cosine) => (angle)
        {
            zero = Sub (sine, sine)
            isZero = Equal (sine, zero)
            slope = Div (sine, cosine)
            other = Atan (slope)
            angle = Where (isZero, zero, other)
        }
    """)


def tensorflow():
    import tensorflow as tf

    def angle(x):
        zero = tf.cast(tf.bitwise.bitwise_xor(x, x), tf.float32)
        return tf.atan2(zero, zero)

    return angle


def inputs():
    return {"x": np.int32([3, -5, 8])}


def expected(inputs):
    return [np.zeros(3, np.float32)]
