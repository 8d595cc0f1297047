"""``MatMul(Transpose(x), w) + b`` becomes a Gemm of the transposed ``x``, although this Transpose moves no axis."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/32228"
CAUSE = "pattern"
WRONG = ["1.15.1", "1.17.3", "1.20.1", "1.22.1"]
RIGHT = ["1.32.0"]
PART = "GemmTransposeFusion"
OPERATORS = ["Transpose", "MatMul", "Add"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        linear (float[3, 3] x, float[3, 4] w) => (float[3, 4] y) <float[4] b = {1, 2, 3, 4}>
        {
            same = Transpose <perm = [0, 1]> (x)
            product = MatMul (same, w)
            y = Add (product, b)
        }
    """)


def inputs():
    return {
        "x": np.arange(9, dtype=np.float32).reshape(3, 3),
        "w": np.arange(12, dtype=np.float32).reshape(3, 4),
    }


def expected(inputs):
    return [inputs["x"] @ inputs["w"] + np.float32([1, 2, 3, 4])]
