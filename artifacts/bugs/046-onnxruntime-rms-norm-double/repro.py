"""The epsilon of a simplified layer normalization of float64 is lost, in ONNX Runtime 1.31.1 on the CPU.

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

X = np.array([[3, 4], [0.3, 0.4]], np.float64)
EPSILON = np.array(2, np.float64)


def run(model, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0]


def main():
    constants = {
        "two": np.array(2, np.float64),
        "last": np.array([-1], np.int64),
        "epsilon": EPSILON,
        "scale": np.ones(2, np.float64),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Pow", ["x", "two"], ["square"]),
            helper.make_node("ReduceMean", ["square", "last"], ["mean"]),
            helper.make_node("Add", ["mean", "epsilon"], ["sum"]),
            helper.make_node("Sqrt", ["sum"], ["root"]),
            helper.make_node("Div", ["x", "root"], ["quotient"]),
            helper.make_node("Mul", ["quotient", "scale"], ["y"]),
        ],
        "minimal",
        [helper.make_tensor_value_info("x", TensorProto.DOUBLE, X.shape)],
        [helper.make_tensor_value_info("y", TensorProto.DOUBLE, X.shape)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
    exact = X / np.sqrt((X * X).mean(-1, keepdims=True) + EPSILON)
    wrong = False
    print("float64", exact.tolist())
    for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"):
        y = run(model, level)
        print(level, y.tolist())
        wrong |= np.abs(y - exact).max() > 0.01
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
