"""An RMS normalization of no elements does not run in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnx
import onnxruntime

model = onnx.parser.parse_model("""
<ir_version: 9, opset_import: ["" : 17]>
g (float[2, 0] x, float[0] scale) => (float[2, 0] y) <float two = {2}, float epsilon = {1}> {
    square = Pow(x, two)
    mean = ReduceMean<axes = [-1]>(square)
    more = Add(mean, epsilon)
    root = Sqrt(more)
    normal = Div(x, root)
    y = Mul(normal, scale)
}
""")
onnx.checker.check_model(model, full_check=True)


def run(without):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"], disabled_optimizers=without
    )
    return session.run(None, {"x": np.zeros((2, 0), np.float32), "scale": np.zeros(0, np.float32)})[0].shape


print("without SimplifiedLayerNormFusion:", run(["SimplifiedLayerNormFusion"]))
try:
    print("with it:", run(None))
except Exception as error:
    print("with it:", error)
    sys.exit("SimplifiedLayerNormalization" in str(error))
