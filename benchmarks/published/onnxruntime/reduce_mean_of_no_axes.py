"""ReduceMean over no axes reduces over all of them, in spite of ``noop_with_empty_axes``."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/16586"
CAUSE = "kernel"
WRONG = ["1.15.1"]
RIGHT = ["1.17.3", "1.20.1", "1.22.1", "1.32.0"]
PART = ""
OPERATORS = ["ReduceMean"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 18]>
        reduce (float[2, 3] x) => (float[2, 3] y) <int64[0] axes = {}>
        {
            y = ReduceMean <noop_with_empty_axes = 1> (x, axes)
        }
    """)


def inputs():
    return {"x": np.float32([[1, -2, 3], [4, 5, 6]])}


def expected(inputs):
    return [inputs["x"]]
