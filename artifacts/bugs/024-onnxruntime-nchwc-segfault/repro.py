"""ONNX Runtime 1.32.0 dies of SIGSEGV on the CPU as it loads Mul(MatMul(Transpose(x), y), c) of float16.

It takes a size of y that is a symbol, and a constant c of the product's rank. The Transpose is first fused into the
product (MatmulTransposeFusion); NchwcTransformer then falls over the result. Exits 1 where the bug shows, 0 where it
does not, 2 where this could not run. Reduced by hand from a finding.
"""

import subprocess
import sys

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

HALF = TensorProto.FLOAT16
LOAD = """
import sys, onnxruntime
options = {"providers": ["CPUExecutionProvider"], "disabled_optimizers": sys.argv[1:]}
onnxruntime.InferenceSession(sys.stdin.buffer.read(), **options)
"""

model = helper.make_model(
    helper.make_graph(
        [
            helper.make_node("Transpose", ["x"], ["turned"], perm=[1, 2, 0]),
            helper.make_node("MatMul", ["turned", "y"], ["product"]),
            helper.make_node("Mul", ["product", "c"], ["z"]),
        ],
        "product_of_turned",
        [
            helper.make_tensor_value_info("x", HALF, [1, 3, 4]),
            helper.make_tensor_value_info("y", HALF, [1, "n"]),
        ],
        [helper.make_tensor_value_info("z", HALF, [3, 4, 2])],
        [onnx.numpy_helper.from_array(np.ones((3, 4, 2), np.float16), "c")],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
)
onnx.checker.check_model(model)


def load(*disabled: str) -> int:
    """How a process ends that loads the model."""
    return subprocess.run([sys.executable, "-c", LOAD, *disabled], input=model.SerializeToString()).returncode


fine = load("NchwcTransformer")
print("without NchwcTransformer", fine)
if fine:
    sys.exit(2)
status = load()
print("all optimizations       ", status)
sys.exit(1 if status else 0)
