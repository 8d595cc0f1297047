"""``Max(x, Sqrt(x))`` of a negative number is that number, not NaN."""

import numpy as np

LINK = "https://github.com/openxla/xla/issues/49174"
CAUSE = "codegen"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = ""
OPERATORS = ["Sqrt", "Max"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        chain (float16[3] x) => (float16[3] y)
        {
            root = Sqrt (x)
            y = Max (x, root)
        }
    """)


def tensorflow():
    import tensorflow as tf

    return lambda x: tf.maximum(x, tf.sqrt(x))


def inputs():
    return {"x": np.float16([1.5, -0.25, 4])}


def expected(inputs):
    with np.errstate(invalid="ignore"):
        return [np.maximum(inputs["x"], np.sqrt(inputs["x"]))]
