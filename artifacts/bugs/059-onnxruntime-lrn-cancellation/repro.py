"""LRN is wrong in channels beside a large one in ONNX Runtime 1.32.0 on the CPU.

The window of each channel is the channel and its two neighbors (size 3). The kernel takes the sum of a window from the
one before: it adds the square that comes in, and subtracts the one that leaves. What is left of a large square is a
rounding error. It stays in all channels that follow. Exits 1 where the bug shows, 0 where it does not, 2 where this
could not run. Reduced by hand from a finding.
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


def run(x, size):
    """Load and run LRN on one element in each channel; its result."""
    graph = helper.make_graph(
        [helper.make_node("LRN", ["x"], ["y"], size=size, alpha=ALPHA, beta=BETA, bias=BIAS)],
        "lrn",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, x.size, 1, 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, x.size, 1, 1])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x.astype(np.float32).reshape(1, -1, 1, 1)})[0].ravel()


def expected(x, size):
    """The same in float64."""
    squares = np.convolve(x * x, np.ones(size), "same")
    return x / (BIAS + ALPHA / size * squares) ** BETA


wrong = False
for first, size in ((10.0, 3), (1e6, 3), (1e6, 1)):
    x = np.array([first, 1, 1, 1, 1])
    try:
        given = run(x, size)
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
    right = expected(x, size)
    wrong |= not np.allclose(given, right, rtol=1e-3)
    print(f"channels {x.tolist()}, size {size}:\n  float64      {right}\n  ONNX Runtime {given}")
sys.exit(int(wrong))
