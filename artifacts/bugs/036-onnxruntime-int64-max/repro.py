"""Clip, Min, Max, Sign and ReduceMax of int64 compare as if there were 32 bits, in ONNX Runtime 1.31.1, CPU (x86-64).

They are wrong where the upper halves of two numbers are equal and the lower halves differ in their top bit. Exits 1
where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

BIG = 2687385600  # between 2**31 and 2**32
LEVELS = onnxruntime.GraphOptimizationLevel


def main():
    x, big = np.array([0, 1, 2, 3], np.int64), np.full(4, BIG, np.int64)
    wrong = False
    for operator, inputs, truth in (
        ("Clip", {"x": x, "low": np.array(-1), "high": np.array(BIG)}, x),
        ("Min", {"x": x, "y": big}, x),
        ("Max", {"x": x, "y": big}, big),
        ("Sign", {"x": big}, np.ones(4, np.int64)),
        ("ReduceMax", {"x": np.array([5, 1, BIG, 3])}, np.array([BIG])),
    ):
        graph = helper.make_graph(
            [helper.make_node(operator, list(inputs), ["z"])],
            "minimal",
            [helper.make_tensor_value_info(name, TensorProto.INT64, value.shape) for name, value in inputs.items()],
            [helper.make_tensor_value_info("z", TensorProto.INT64, None)],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString()
        for level in (LEVELS.ORT_DISABLE_ALL, LEVELS.ORT_ENABLE_ALL):
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = level
            z = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, inputs)[0]
            print(operator, level.name, z.tolist(), "exact", truth.tolist())
            wrong |= not np.array_equal(z, truth)
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
