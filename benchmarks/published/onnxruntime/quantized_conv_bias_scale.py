"""A quantized Conv assumes that the bias has the scale of ``x`` times that of ``w``, whatever its own scale is."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/24711"
CAUSE = "pattern"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = "QDQSelectorActionTransformer"
OPERATORS = ["QuantizeLinear", "DequantizeLinear", "Conv"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        conv (uint8[1, 1, 2, 2] x) => (uint8[1, 1, 2, 2] y)
        <float one = {1}, float half = {0.5}, uint8 zero = {0}, int8 origin = {0}, int32 none = {0},
         int8[1, 1, 1, 1] w = {2}, int32[1] b = {10}>
        {
            data = DequantizeLinear (x, one, zero)
            weight = DequantizeLinear (w, one, origin)
            bias = DequantizeLinear (b, half, none)
            sum = Conv (data, weight, bias)
            y = QuantizeLinear (sum, one, zero)
        }
    """)


def inputs():
    return {"x": np.uint8([[[[1, 2], [3, 4]]]])}


def expected(inputs):
    return [2 * inputs["x"] + np.uint8(5)]
