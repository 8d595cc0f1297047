"""A zero that was padded before MaxPool is lost, in ONNX Runtime 1.31.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def run(model, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": -np.ones((1, 1, 4), np.float32)})[0].ravel().tolist()


def main():
    graph = helper.make_graph(
        [
            helper.make_node("Pad", ["x", "pads"], ["padded"]),
            helper.make_node("MaxPool", ["padded"], ["y"], kernel_shape=[2]),
        ],
        "minimal",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 1, 4))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 1, 5))],
        [numpy_helper.from_array(np.array([0, 0, 1, 0, 0, 1], np.int64), "pads")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    padded = [0, -1, -1, -1, -1, 0]
    exact = [float(max(pair)) for pair in zip(padded, padded[1:])]
    wrong = False
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"):
        y = run(model, level)
        print(level, y, "exact", exact)
        wrong |= y != exact
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
