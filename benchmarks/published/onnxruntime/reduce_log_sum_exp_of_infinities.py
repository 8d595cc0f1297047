"""ReduceLogSumExp of only -inf gives NaN, not -inf."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/28461"
CAUSE = "kernel"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = ""
OPERATORS = ["ReduceLogSumExp"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 18]>
        reduce (float[5] x) => (float y)
        {
            y = ReduceLogSumExp <keepdims = 0> (x)
        }
    """)


def inputs():
    return {"x": np.full(5, -np.inf, np.float32)}


def expected(inputs):
    return [np.float32(-np.inf)]
