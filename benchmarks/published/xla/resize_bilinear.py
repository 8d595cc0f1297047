"""A bilinear resize to three times the size takes single rows and columns from the wrong place."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/118467"
CAUSE = "fusion"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = "fusion"
OPERATORS = ["Resize"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        grow (float[1, 1, 4, 4] x) => (float[1, 1, 12, 12] y) <float[4] scales = {1, 1, 3, 3}>
        {
            y = Resize <mode = "linear"> (x, , scales)
        }
    """)


def tensorflow():
    import tensorflow as tf

    def resize(x):
        return tf.transpose(tf.image.resize(tf.transpose(x, [0, 2, 3, 1]), [12, 12]), [0, 3, 1, 2])

    return resize


def inputs():
    return {"x": np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)}


def expected(inputs):
    """Return the right outputs: the input is linear in both axes, and so are the values between its elements."""
    places = np.clip((np.arange(12) + 0.5) / 3 - 0.5, 0, 3)
    return [np.float32([[4 * places[:, None] + places]])]
