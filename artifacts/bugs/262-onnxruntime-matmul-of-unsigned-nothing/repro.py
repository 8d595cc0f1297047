"""MatMul of unsigned integers with an inner dimension of 0 does not run in ONNX Runtime 1.32.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
import numpy as np
import onnx
import onnxruntime


def run(name):
    model = onnx.parser.parse_model(f"""
    <ir_version: 9, opset_import: ["" : 20]>
    g ({name}[2, n] x, {name}[n, 3] w) => ({name}[2, 3] y) {{ y = MatMul(x, w) }}
    """)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    try:
        return session.run(None, {"x": np.zeros((2, 0), name), "w": np.zeros((0, 3), name)})[0].tolist()
    except Exception as error:
        return str(error).splitlines()[0]


print("int64: ", run("int64"))
given = [run("uint64"), run("uint32")]
print("uint64:", given[0])
print("uint32:", given[1])
sys.exit(any("Tensor type mismatch" in str(one) for one in given))
