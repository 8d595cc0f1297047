"""Resize rounds float64 and integers to float32, in TVM 0.27.0.post1 on the CPU, silently.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import tvm
    import tvm.relax.frontend.onnx
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def compiled(dtype):
    """Four values, each repeated: the nearest neighbour at twice the size."""
    element_type = helper.np_dtype_to_tensor_dtype(dtype)
    attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    nodes = [helper.make_node("Resize", ["x", "", "scales"], ["y"], **attributes)]
    x, y = (helper.make_tensor_value_info(name, element_type, [1, 1, 1, n]) for name, n in (("x", 4), ("y", 8)))
    scales = helper.make_tensor("scales", TensorProto.FLOAT, [4], [1, 1, 1, 2])
    graph = helper.make_graph(nodes, "resize", [x], [y], [scales])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    program = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    return tvm.relax.VirtualMachine(program, tvm.cpu())["main"]


wrong = False
for values in (
    np.array([0.1, 2, 3, 4], np.float64),
    np.array([2**24 + 1, 2, 3, 4], np.int32),
    np.array([2**53 + 1, 2, 3, 4], np.int64),
):
    try:
        result = compiled(values.dtype)(tvm.runtime.tensor(values.reshape(1, 1, 1, 4))).numpy().ravel()
    except Exception as error:
        print("could not run:", error)
        sys.exit(2)
    print(f"{values.dtype}: {result[0]}, where {values[0]} is due")
    wrong |= not np.array_equal(result, np.repeat(values, 2))
sys.exit(1 if wrong else 0)
