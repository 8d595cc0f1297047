"""A quantized Softmax of int8 clips to 255 instead of 127, so that a probability of 1 wraps around to -128."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/29727"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = "QDQSelectorActionTransformer"
OPERATORS = ["DequantizeLinear", "Softmax", "QuantizeLinear"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        softmax (int8[1, 4] x) => (int8[1, 4] y)
        <float half = {0.5}, int8 zero = {0}, float step = {0.00390625}, int8 lowest = {-128}>
        {
            scores = DequantizeLinear (x, half, zero)
            shares = Softmax (scores)
            y = QuantizeLinear (shares, step, lowest)
        }
    """)


def inputs():
    return {"x": np.int8([[100, -100, -100, -100]])}


def expected(inputs):
    return [np.int8([[127, -128, -128, -128]])]
