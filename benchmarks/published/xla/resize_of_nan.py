"""A bilinear resize of an image with one NaN gives only NaN: each result sums over the whole image."""

import numpy as np

LINK = "https://github.com/tensorflow/tensorflow/issues/118382"
CAUSE = "decomposition"
WRONG = ["2.14.1", "2.16.2", "2.21.0"]
RIGHT = []
PART = ""
OPERATORS = ["Resize"]


def model():
    import onnx

    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        grow (float[1, 1, 3, 3] x) => (float[1, 1, 6, 6] y) <float[4] scales = {1, 1, 2, 2}>
        {
            y = Resize <mode = "linear"> (x, , scales)
        }
    """)


def tensorflow():
    import tensorflow as tf

    def resize(x):
        return tf.transpose(tf.image.resize(tf.transpose(x, [0, 2, 3, 1]), [6, 6]), [0, 3, 1, 2])

    return resize


def inputs():
    return {"x": np.float32([[[[np.nan, 1, 2], [3, 4, 5], [6, 7, 8]]]])}


def expected(inputs):
    """Return the right outputs: linear in both axes, except for the elements beside the NaN."""
    places = np.clip((np.arange(6) + 0.5) / 2 - 0.5, 0, 2)
    image = 3 * places[:, None] + places
    image[(places[:, None] < 1) & (places < 1)] = np.nan
    return [np.float32([[image]])]
