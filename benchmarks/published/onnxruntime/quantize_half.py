"""QuantizeLinear of float16 truncates, but should round to the nearest integer."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/pull/32452"
CAUSE = "kernel"
WRONG = ["1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["QuantizeLinear"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 9, opset_import: ["" : 19]>
        quantize (float16[6] x, float16 scale) => (int8[6] y) <int8 zero = {0}>
        {
            y = QuantizeLinear (x, scale, zero)
        }
    """)


def inputs():
    return {"x": np.float16([0.75, -0.75, 1.5, 2.5, 3.25, -3.75]), "scale": np.array(1, np.float16)}


def expected(inputs):
    return [np.rint(inputs["x"]).astype(np.int8)]
