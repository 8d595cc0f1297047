"""A model with Clip before a QuantizeLinear to int4 does not load, in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper, parser

MODEL = parser.parse_model("""
    <ir_version: 10, opset_import: ["" : 21]>
    relu6 (float[4] x) => (float[4] y) <float least = {0.0}, float most = {6.0}, float scale = {1.0}> {
        turned = Neg (x)
        clipped = Clip (turned, least, most)
        quantized = QuantizeLinear (clipped, scale, zero)
        y = DequantizeLinear (quantized, scale, zero)
    }
""")
MODEL.graph.initializer.append(helper.make_tensor("zero", TensorProto.INT4, [], [0]))
checker.check_model(MODEL, full_check=True)
x = np.array([3, -1, -5, -7], np.float32)


def run(disabled):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # no log
    session = onnxruntime.InferenceSession(MODEL.SerializeToString(), options, disabled_optimizers=disabled)
    return session.run(None, {"x": x})[0].tolist()


right = run(["ClipQuantRewrite"])
print("without the rule:", right)
try:
    print("default:         ", run([]))
except Exception as error:
    print("default:          fails,", str(error).strip().splitlines()[0][-75:])
    sys.exit(right == [0, 1, 5, 6] and "Unexpected data type" in str(error))
