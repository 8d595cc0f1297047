"""ScatterElements with indices that are narrower than the data behind the axis writes elsewhere, in TVM 0.27.0.post1.

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


def scattered(x, indices, updates, axis, operation):
    """As ONNX defines it: element by element of the indices."""
    y = x.copy()
    for place in np.ndindex(*indices.shape):
        target = list(place)
        target[axis] = indices[place]
        y[tuple(target)] = operation(y[tuple(target)], updates[place])
    return y


OPERATIONS = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new}


def main():
    wrong = False
    for shape, small, axis in (((2, 2, 2), (2, 1, 1), 2), ((2, 2, 2), (1, 2, 1), 0)):
        x = np.arange(1, 9, dtype=np.float32).reshape(shape)
        indices = np.zeros(small, np.int64)
        updates = np.array([10, 20], np.float32).reshape(small)
        for reduction, operation in OPERATIONS.items():
            truth = scattered(x, indices, updates, axis, operation).ravel().tolist()
            y = run("ScatterElements", TensorProto.FLOAT, [x, indices, updates], axis=axis, reduction=reduction)
            print("axis", axis, reduction, "TVM", y.ravel().tolist(), "exact", truth)
            wrong |= y.ravel().tolist() != truth
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
