"""GridSample (bicubic, ``border``) moves a point outside to the border, and so ignores the elements beside it."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/10607"
CAUSE = "kernel"
WRONG = ["1.15.1"]
RIGHT = ["1.17.3", "1.20.1", "1.22.1", "1.32.0"]
PART = ""
OPERATORS = ["GridSample"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 16]>
        sample (float[1, 1, 4, 4] x, float[1, 1, 4, 2] grid) => (float[1, 1, 1, 4] y)
        {
            y = GridSample <mode = "bicubic", padding_mode = "border", align_corners = 0> (x, grid)
        }
    """)


def inputs():
    return {
        "x": (np.arange(16, dtype=np.float32) ** 2).reshape(1, 1, 4, 4),
        "grid": np.float32([[[[-1.2, -1.1], [1.1, -0.9], [-1.3, 0.5], [1.2, 1.3]]]]),
    }


def expected(inputs):
    image, points = inputs["x"][0, 0], inputs["grid"][0, 0]

    def weights(t):
        near, far = np.abs(t + np.float64([1, 0, -1, -2])), -0.75
        inner = ((far + 2) * near - (far + 3)) * near**2 + 1
        outer = far * (((near - 5) * near + 8) * near - 4)
        return np.where(near <= 1, inner, outer)

    def sample(point):
        (column, row) = ((point + 1) * 4 - 1) / 2
        left, top = int(np.floor(column)), int(np.floor(row))
        rows = np.clip(np.arange(top - 1, top + 3), 0, 3)
        columns = np.clip(np.arange(left - 1, left + 3), 0, 3)
        return weights(row - top) @ image[np.ix_(rows, columns)] @ weights(column - left)

    return [np.float32([[[[sample(point) for point in points]]]])]
