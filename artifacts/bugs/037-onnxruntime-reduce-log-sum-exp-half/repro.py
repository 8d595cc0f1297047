"""ReduceLogSumExp of float16 is infinite from 710 on in opset 18, in ONNX Runtime 1.32.0 on the CPU.

It is right in opset 13, and of float32. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

LEVELS = onnxruntime.GraphOptimizationLevel


def main():
    wrong = False
    for largest in (700, 849):
        for dtype, kind in (("float16", TensorProto.FLOAT16), ("float32", TensorProto.FLOAT)):
            x = np.array([largest, 1], dtype)
            truth = np.log(np.exp(x.astype(np.float64) - largest).sum()) + largest
            for opset in (13, 18):
                graph = helper.make_graph(
                    [helper.make_node("ReduceLogSumExp", ["x"], ["y"], keepdims=0)],
                    "minimal",
                    [helper.make_tensor_value_info("x", kind, [2])],
                    [helper.make_tensor_value_info("y", kind, None)],
                )
                model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
                for level in (LEVELS.ORT_DISABLE_ALL, LEVELS.ORT_ENABLE_ALL):
                    options = onnxruntime.SessionOptions()
                    options.graph_optimization_level = level
                    session = onnxruntime.InferenceSession(
                        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
                    )
                    y = float(session.run(None, {"x": x})[0])
                    print(dtype, x.tolist(), "opset", opset, level.name, y, "exact", truth)
                    wrong |= not abs(y - truth) <= 1e-2 * truth
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
