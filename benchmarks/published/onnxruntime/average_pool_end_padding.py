"""AveragePool of opset 19 does not count the padding at the end, in spite of ``count_include_pad``."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/24681"
CAUSE = "kernel"
WRONG = ["1.22.1"]
RIGHT = ["1.17.3", "1.20.1", "1.32.0"]
PART = ""
OPERATORS = ["AveragePool"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 9, opset_import: ["" : 19]>
        pool (float[1, 1, 6, 2] x) => (float[1, 1, 6, 2] y)
        {
            y = AveragePool <kernel_shape = [5, 1], pads = [2, 0, 2, 0], count_include_pad = 1> (x)
        }
    """)


def inputs():
    return {"x": np.arange(1, 13, dtype=np.float32).reshape(1, 1, 6, 2)}


def expected(inputs):
    padded = np.pad(inputs["x"], [(0, 0), (0, 0), (2, 2), (0, 0)])
    return [np.stack([padded[:, :, i : i + 5].mean(axis=2) for i in range(6)], axis=2)]
