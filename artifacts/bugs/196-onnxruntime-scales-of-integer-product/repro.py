"""A product of integers times vectors of scales ends ONNX Runtime 1.32.0, or loses its columns silently.

MatMulIntegerToFloatFusion makes one MatMulIntegerToFloat of MatMulInteger, Cast and Mul. It takes any two factors for
scales of the operands, also such that broadcast the product from 3 x 1 to 3 x 2. Each run has a process of its own.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import subprocess
import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

X = np.array([[1, 2], [3, 4], [5, 6]], np.int8)
S = np.array([1, 2], np.float32)
GRAPH = helper.make_graph(
    [
        helper.make_node("MatMulInteger", ["x", "w"], ["product"]),
        helper.make_node("Cast", ["product"], ["floating"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["s", "t"], ["scales"]),
        helper.make_node("Mul", ["floating", "scales"], ["y"]),
    ],
    "product",
    [
        helper.make_tensor_value_info("x", TensorProto.INT8, [3, 2]),
        helper.make_tensor_value_info("s", TensorProto.FLOAT, [2]),
        helper.make_tensor_value_info("t", TensorProto.FLOAT, [2]),
    ],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 2])],
    [numpy_helper.from_array(np.array([[1], [1]], np.int8), "w")],
)
MODEL = helper.make_model(GRAPH, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
checker.check_model(MODEL, full_check=True)


def run(disabled):
    """The result."""
    session = onnxruntime.InferenceSession(
        MODEL.SerializeToString(), providers=["CPUExecutionProvider"], disabled_optimizers=disabled
    )
    return session.run(None, {"x": X, "s": S, "t": S})[0]


if len(sys.argv) > 1:
    print(run(sys.argv[2:]).tolist())
    sys.exit(0)

printed = {}
for case, disabled in (("without the fusion", ["MatMulIntegerToFloatFusion"]), ("default", [])):
    done = subprocess.run([sys.executable, __file__, "--run", *disabled], capture_output=True, text=True, timeout=120)
    printed[case] = done.stdout.strip() or f"the process ended with status {done.returncode}"
    print(f"{case:18} {printed[case]}")
sys.exit(int(len({*printed.values()}) > 1))
