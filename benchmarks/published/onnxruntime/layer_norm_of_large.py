"""LayerNormalization computes the variance as a difference of squares, which cancels for large numbers."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/28463"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["LayerNormalization"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        normalize (float[2, 4] x, float[4] scale) => (float[2, 4] y)
        {
            y = LayerNormalization (x, scale)
        }
    """)


def inputs():
    return {
        "x": np.float32([[40000, 40001, 40002, 40003], [80003, 80002, 80001, 80000]]),
        "scale": np.ones(4, np.float32),
    }


def expected(inputs):
    x = inputs["x"].astype(np.float64)
    centred = x - x.mean(axis=1, keepdims=True)
    return [(centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)).astype(np.float32)]
