"""A mean without ``keepdims`` matches the pattern of LayerNormalization, although it broadcasts along other axes."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/pull/31144"
CAUSE = "pattern"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1", "1.32.0"]
RIGHT = []
PART = "LayerNormFusionL1"
OPERATORS = ["ReduceMean", "Sub", "Pow", "Add", "Sqrt", "Div", "Mul"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        normalize (float[3, 3] x) => (float[3, 3] y)
        <float two = {2}, float epsilon = {1e-5}, float[3] scale = {1, 2, 3}, float[3] bias = {1, 0, 1}>
        {
            mean = ReduceMean <axes = [-1], keepdims = 0> (x)
            centred = Sub (x, mean)
            squares = Pow (centred, two)
            variance = ReduceMean <axes = [-1], keepdims = 0> (squares)
            shifted = Add (variance, epsilon)
            deviation = Sqrt (shifted)
            normal = Div (centred, deviation)
            scaled = Mul (normal, scale)
            y = Add (scaled, bias)
        }
    """)


def inputs():
    return {"x": np.float32([[1, 2, 4], [8, 16, 3], [2, 7, 1]])}


def expected(inputs):
    centred = inputs["x"] - inputs["x"].mean(axis=-1)
    normal = centred / np.sqrt((centred**2).mean(axis=-1) + np.float32(1e-5))
    return [normal * np.float32([1, 2, 3]) + np.float32([1, 0, 1])]
