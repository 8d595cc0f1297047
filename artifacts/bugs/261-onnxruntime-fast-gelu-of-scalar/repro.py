"""GPT-2's GELU of a scalar does not run in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnx
import onnxruntime

model = onnx.parser.parse_model("""
<ir_version: 9, opset_import: ["" : 20]>
g (float x) => (float y) <float half = {0.5}, float one = {1}, float three = {3}, float a = {0.044715}, float b = {0.7978846}> {
    cube = Pow(x, three)
    part = Mul(cube, a)
    sum = Add(x, part)
    scaled = Mul(sum, b)
    curve = Tanh(scaled)
    more = Add(curve, one)
    less = Mul(x, half)
    gelu = Mul(less, more)
    y = Neg(gelu)
}
""")


def run(without):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"], disabled_optimizers=without
    )
    return session.run(None, {"x": np.array(1, np.float32)})[0]


print("without FastGeluFusion:", run(["FastGeluFusion"]))
try:
    print("with it:", run(None))
except Exception as error:
    print("with it:", error)
    sys.exit("FastGelu" in str(error))
