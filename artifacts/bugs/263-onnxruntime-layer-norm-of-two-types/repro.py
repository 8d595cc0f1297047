"""A layer normalization with a Cast before its scale does not load in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnx
import onnxruntime

model = onnx.parser.parse_model("""
<ir_version: 9, opset_import: ["" : 17]>
g (float[1, 2] x, float16[2] scale, float16[2] bias) => (float16[1, 2] y) <float two = {2}, float epsilon = {1}> {
    mean = ReduceMean<axes = [-1]>(x)
    centred = Sub(x, mean)
    square = Pow(centred, two)
    variance = ReduceMean<axes = [-1]>(square)
    more = Add(variance, epsilon)
    root = Sqrt(more)
    normal = Div(centred, root)
    half = Cast<to = 10>(normal)
    scaled = Mul(half, scale)
    y = Add(scaled, bias)
}
""")
onnx.checker.check_model(model, full_check=True)


def run(without):
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=without
    )
    feeds = {"x": np.array([[1, 3]], np.float32), "scale": np.ones(2, np.float16), "bias": np.zeros(2, np.float16)}
    return session.run(None, feeds)[0].tolist()


print("without LayerNormFusionL1:", run(["LayerNormFusionL1", "LayerNormFusionL2", "LayerNormFusion"]))
try:
    print("with it:", run(None))
except Exception as error:
    print("with it:", error)
    sys.exit("bound to different types" in str(error))
