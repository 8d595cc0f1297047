"""A Relu before a QuantizeLinear to int16 is removed, as if the type had no negative values."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/pull/20187"
CAUSE = "pattern"
WRONG = ["1.17.3"]
RIGHT = ["1.20.1", "1.22.1", "1.32.0"]
PART = "ReluQuantRewrite"
OPERATORS = ["Relu", "QuantizeLinear"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
        quantize (float[4] x) => (int16[4] y) <float scale = {1}, int16 zero = {0}>
        {
            positive = Relu (x)
            y = com.microsoft.QuantizeLinear (positive, scale, zero)
        }
    """)


def inputs():
    return {"x": np.float32([-3, -1, 0, 2])}


def expected(inputs):
    return [np.int16([0, 0, 0, 2])]
