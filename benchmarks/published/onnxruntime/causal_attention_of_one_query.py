"""A causal Attention of one query looks at all keys, as if it were the query of the last one."""

import numpy as np
import onnx

LINK = "https://github.com/microsoft/onnxruntime/issues/29020"
CAUSE = "kernel"
WRONG = ["1.24.4", "1.26.0", "1.27.0"]
RIGHT = ["1.28.0", "1.32.0"]
PART = ""
OPERATORS = ["Attention"]


def model():
    return onnx.parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 23]>
        attend (float[1, 1, 1, 2] query, float[1, 1, 4, 2] key, float[1, 1, 4, 2] value) => (float[1, 1, 1, 2] y)
        {
            y = Attention <is_causal = 1> (query, key, value)
        }
    """)


def inputs():
    return {
        "query": np.ones((1, 1, 1, 2), np.float32),
        "key": np.ones((1, 1, 4, 2), np.float32),
        "value": np.arange(8, dtype=np.float32).reshape(1, 1, 4, 2),
    }


def expected(inputs):
    """Return the right outputs: the first query may look at the first key alone."""
    return [inputs["value"][:, :, :1]]
