"""A model cannot be loaded whose function has a MeanVarianceNormalization without axes, in ONNX Runtime 1.32.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import onnxruntime
from onnx import checker, parser

MODEL = """
    <ir_version: 9, opset_import: ["" : 18, "local" : 1]>
    normal (float[1, 2, 1, 2] x) => (float[1, 2, 1, 2] y) {
        y = CALL (x)
    }
    <opset_import: ["" : 18], domain: "local">
    part (x) => (y) {
        y = MeanVarianceNormalization ATTRIBUTES (x)
    }
"""


def failure(call, attributes=""):
    """Return the error as the model is loaded, or an empty text."""
    model = parser.parse_model(MODEL.replace("CALL", call).replace("ATTRIBUTES", attributes))
    checker.check_model(model)  # full_check=True has the same error
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:
        return str(error)
    return ""


inside = failure("local.part")
outside, given = failure("MeanVarianceNormalization"), failure("local.part", "<axes = [0, 2, 3]>")
print("in a function, with axes:   ", given or "it loads")
print("in the graph, without axes: ", outside or "it loads")
print("in a function, without axes:", inside or "it loads")
sys.exit(int(bool(inside) and not given))
