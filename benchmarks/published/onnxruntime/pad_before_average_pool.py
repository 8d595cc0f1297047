"""``AveragePool(Pad(x))`` becomes one AveragePool with padding, which does not count the zeros."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/22177"
CAUSE = "pattern"
WRONG = ["1.20.1"]
RIGHT = ["1.15.1", "1.17.3", "1.22.1", "1.32.0"]
PART = "Pad_Fusion"
OPERATORS = ["Pad", "AveragePool"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        pool (float[1, 1, 3, 3] x) => (float[1, 1, 4, 4] y) <int64[8] pads = {0, 0, 1, 1, 0, 0, 1, 1}>
        {
            padded = Pad (x, pads)
            y = AveragePool <kernel_shape = [2, 2]> (padded)
        }
    """)


def inputs():
    return {"x": np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)}


def expected(inputs):
    padded = np.pad(inputs["x"], [(0, 0), (0, 0), (1, 1), (1, 1)])
    return [(padded[..., :-1, :-1] + padded[..., 1:, :-1] + padded[..., :-1, 1:] + padded[..., 1:, 1:]) / 4]
