"""The maximum of negative infinities is finite, in TVM 0.27.0.post1 on the CPU; likewise the minimum of positive ones.

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
    for operator, value, attributes in (
        ("Max", -np.inf, {}),
        ("Min", np.inf, {}),
        ("ReduceMax", -np.inf, {"keepdims": 0}),
        ("ReduceMin", np.inf, {"keepdims": 0}),
        ("MaxPool", -np.inf, {"kernel_shape": [2]}),
    ):
        x = np.full((1, 1, 2), value, np.float32)
        y = run(operator, TensorProto.FLOAT, [x, x] if operator in ("Max", "Min") else [x], **attributes).ravel()
        print(operator, "of", value, "and", value, "is", y.tolist())
        wrong |= bool((y != value).any())
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
