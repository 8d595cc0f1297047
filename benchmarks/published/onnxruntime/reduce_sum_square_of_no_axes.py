"""ReduceSumSquare over no axes returns its input, but ``noop_with_empty_axes`` only leaves out the sum."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/26288"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["ReduceSumSquare"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 18]>
        reduce (float[2, 2] x) => (float[2, 2] y) <int64[0] axes = {}>
        {
            y = ReduceSumSquare <noop_with_empty_axes = 1> (x, axes)
        }
    """)


def inputs():
    return {"x": np.float32([[1, -2], [3, 0.5]])}


def expected(inputs):
    return [inputs["x"] ** 2]
