"""AveragePool with ``ceil_mode`` and ``count_include_pad`` also counts elements beyond the padding."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/16203"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["AveragePool"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        pool (float[1, 1, 9] x) => (float[1, 1, 4] y)
        {
            y = AveragePool
                <kernel_shape = [7], strides = [3], pads = [3, 3], ceil_mode = 1, count_include_pad = 1> (x)
        }
    """)


def inputs():
    return {"x": np.arange(1, 10, dtype=np.float32).reshape(1, 1, 9)}


def expected(inputs):
    padded = np.pad(inputs["x"], [(0, 0), (0, 0), (3, 3)])
    return [np.stack([padded[:, :, i : i + 7].mean(axis=2) for i in (0, 3, 6, 9)], axis=2)]
