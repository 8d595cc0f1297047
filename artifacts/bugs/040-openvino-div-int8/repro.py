"""Div of uint8 or int8 rounds instead of cutting off, where sizes are dynamic, in OpenVINO 2026.4.1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import openvino
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def run(x, element, shape, settings):
    graph = helper.make_graph(
        [helper.make_node("Div", ["x", "three"], ["y"])],
        "minimal",
        [helper.make_tensor_value_info("x", element, shape)],
        [helper.make_tensor_value_info("y", element, shape)],
        [helper.make_tensor("three", element, [], [3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings)
    kinds = {str(op.get_rt_info()["layerType"].astype(str)) for op in compiled.get_runtime_model().get_ordered_ops()}
    return compiled([x])[0].tolist(), kinds - {"Input", "Const", "Output"}


def main():
    wrong = False
    for x, element in (
        (np.arange(9, dtype=np.uint8), TensorProto.UINT8),
        (np.arange(-4, 5, dtype=np.int8), TensorProto.INT8),
        (np.arange(-4, 5, dtype=np.int32), TensorProto.INT32),
    ):
        exact = np.trunc(x / 3).astype(x.dtype).tolist()
        print(x.dtype, x.tolist(), "by 3, exact", exact)
        for shape, settings in (([9], {}), ([9], {"SNIPPETS_MODE": "DISABLE"}), (["n"], {})):
            y, kinds = run(x, element, shape, settings)
            print("   ", shape, *settings.values(), "in", *kinds, y)
            wrong |= y != exact
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
