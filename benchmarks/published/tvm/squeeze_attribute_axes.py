"""The importer ignores the axes of a Squeeze before opset 13, where they are an attribute, and drops every 1."""

import numpy as np
import onnx

LINK = "https://github.com/apache/tvm/pull/19966"
CAUSE = "import"
WRONG = ["0.25.0"]
RIGHT = ["0.26.0", "0.27.0"]
PART = ""
OPERATORS = ["Squeeze"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 11]>
        squeeze (float[1, 3, 1] x) => (float[3, 1] y)
        {
            y = Squeeze <axes = [0]> (x)
        }
    """)


def inputs():
    return {"x": np.float32([[[1], [2], [3]]])}


def expected(inputs):
    return [inputs["x"][0]]
