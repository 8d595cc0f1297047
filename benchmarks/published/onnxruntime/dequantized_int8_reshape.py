"""``Reshape(DequantizeLinear(x))`` of int8 without a zero point is quantized again, as uint8: -3 becomes 0."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/27845"
CAUSE = "type"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1", "1.32.0"]
RIGHT = []
PART = "QDQPropagationTransformer"
OPERATORS = ["DequantizeLinear", "Reshape"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        dequantize (int8[2, 3] x) => (float[3, 2] y) <float scale = {0.5}, int64[2] shape = {3, 2}>
        {
            values = DequantizeLinear (x, scale)
            y = Reshape (values, shape)
        }
    """)


def inputs():
    return {"x": np.int8([[-128, -3, -1], [0, 2, 127]])}


def expected(inputs):
    return [(inputs["x"] * np.float32(0.5)).reshape(3, 2)]
