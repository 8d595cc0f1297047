"""The index of the greatest of the least numbers of a type is -1, in TVM 0.27.0.post1 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import onnx
    import tvm
    import tvm.relax.frontend.onnx
    import tvm_ffi
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def run(operator, output, arrays, **attributes):
    inputs = [
        helper.make_tensor_value_info("x%d" % i, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for i, x in enumerate(arrays)
    ]
    graph = helper.make_graph(
        [helper.make_node(operator, [value.name for value in inputs], ["y"], **attributes)],
        "minimal",
        inputs,
        [helper.make_tensor_value_info("y", output, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    executable = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    result = tvm.relax.VirtualMachine(executable, tvm.cpu())["main"](*[tvm.runtime.tensor(x) for x in arrays])
    return (result[0] if isinstance(result, tvm_ffi.Array) else result).numpy()


def main():
    wrong = False
    for operator, dtype, value in (
        ("ArgMax", "int32", -(2**31)),
        ("ArgMin", "int32", 2**31 - 1),
        ("ArgMax", "uint8", 0),
        ("ArgMax", "float32", -np.inf),
        ("ArgMin", "float64", np.inf),
    ):
        x = np.full(3, value, dtype)
        for last in (0, 1):
            truth = 2 if last else 0  # all are equal: the first, or the last
            index = int(run(operator, TensorProto.INT64, [x], axis=0, keepdims=0, select_last_index=last))
            print(f"{operator} of {x.tolist()}, {dtype}, the {'last' if last else 'first'}: {index}, and should be {truth}")
            wrong |= index != truth
    x = np.full((1, 3), -np.inf, np.float32)
    hard = run("Hardmax", TensorProto.FLOAT, [x])
    print("Hardmax of", x.tolist(), hard.tolist(), "and should be [[1.0, 0.0, 0.0]]")
    return int(wrong or hard.tolist() != [[1.0, 0.0, 0.0]])


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
