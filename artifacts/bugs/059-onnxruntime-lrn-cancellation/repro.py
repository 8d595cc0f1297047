"""LRN gives inf and NaN beside a large channel in ONNX Runtime 1.32.0 on the CPU.

The window of each channel is that channel alone here (size 1), so that 1 is normalized to nearly 1 whatever the other
channel holds. The kernel takes the sum of a window from the one before: it adds the square that comes in, and subtracts
the one that leaves. What is left of a large square is a rounding error, zero or even negative, which is then raised to
a negative power. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a
finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

ALPHA, BETA, BIAS = 1e-4, 0.75, 1.0


def run(*channels):
    """Load and run LRN on one element in each channel; its result."""
    x = np.array(channels, np.float32).reshape(1, -1, 1, 1)
    graph = helper.make_graph(
        [helper.make_node("LRN", ["x"], ["y"], size=1, alpha=ALPHA, beta=BETA, bias=BIAS)],
        "lrn",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, x.shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0].ravel()


def expected(*channels):
    """The same in float64."""
    x = np.array(channels, np.float64)
    return x / (BIAS + ALPHA * x * x) ** BETA


wrong = False
for first in (10.0, 1e5, 1e6, -7619567.0):
    try:
        given = run(first, 1)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
    right = expected(first, 1)
    wrong |= not np.allclose(given, right, rtol=1e-3)
    print(f"channels {first:g} and 1: float64 {right}, ONNX Runtime {given}")
sys.exit(int(wrong))
