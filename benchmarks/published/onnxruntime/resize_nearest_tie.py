"""Resize to the nearest element rounds 14.5 to 14 in spite of ``round_prefer_ceil``: its scale is only a float32."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/28291"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["Resize"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        shrink (float[1, 1, 1, 20] x) => (float[1, 1, 1, 6] y) <int64[4] sizes = {1, 1, 1, 6}>
        {
            y = Resize
                <mode = "nearest", coordinate_transformation_mode = "half_pixel", nearest_mode = "round_prefer_ceil">
                (x, , , sizes)
        }
    """)


def inputs():
    return {"x": np.arange(20, dtype=np.float32).reshape(1, 1, 1, 20)}


def expected(inputs):
    places = np.floor((np.arange(6) + 0.5) * 20 / 6 - 0.5 + 0.5).astype(int)
    return [inputs["x"][..., places]]
