"""MaxPool with ``ceil_mode`` has a window entirely in the padding, and so returns the lowest float32."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/15446"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1"]
RIGHT = ["1.22.1", "1.32.0"]
PART = ""
OPERATORS = ["MaxPool"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        pool (float[1, 1, 6, 5] x) => (float[1, 1, rows, columns] y)
        {
            y = MaxPool <kernel_shape = [3, 3], strides = [3, 3], pads = [1, 1, 1, 1], ceil_mode = 1> (x)
        }
    """)


def inputs():
    return {"x": np.arange(30, dtype=np.float32).reshape(1, 1, 6, 5)}


def expected(inputs):
    return [np.float32([[[[6, 9], [21, 24], [26, 29]]]])]
