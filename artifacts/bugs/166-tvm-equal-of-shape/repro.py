"""Equal(Shape(x), c) with a constant c is always false, in TVM 0.27.0.post1 on the CPU, silently.

The importer compares Python's integers with TVM's own by structure. What Where selects by the result is wrong, too.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import tvm
    import tvm.relax.frontend.onnx
    from onnx import checker, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

node = helper.make_node


def given(nodes, inputs, constants, due):
    """The result y of these nodes, compiled; the model says that its type and shape are those of ``due``."""
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "model",
        [info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for name, x in inputs.items()],
        [info("y", helper.np_dtype_to_tensor_dtype(due.dtype), due.shape)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    checker.check_model(model, full_check=True)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    program = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    y = tvm.relax.VirtualMachine(program, tvm.cpu())["main"](*[tvm.runtime.tensor(x) for x in inputs.values()])
    return y.numpy()


def differs(what, due, y):
    """Print both, and tell whether they differ."""
    print(f"{what}: due {due.dtype} {due.tolist()}, given {y.dtype} {y.tolist()}")
    return y.dtype != due.dtype or y.shape != due.shape or not np.allclose(y, due, equal_nan=True)


def main():
    x = np.zeros((2, 3), np.float32)
    constants = {"c": np.array([2, 5]), "d": np.array([4, 4])}
    equal = [node("Shape", ["x"], ["s"]), node("Equal", ["s", "c"], ["e"])]
    due = np.array([True, False])
    y = given([equal[0], node("Equal", ["s", "c"], ["y"])], {"x": x}, constants, due)
    wrong = differs("Equal(Shape(x), [2, 5])", due, y)
    due = np.zeros((4, 3), np.float32)
    constants["row"] = np.zeros((1, 3), np.float32)
    nodes = [*equal, node("Where", ["e", "d", "s"], ["t"]), node("Expand", ["row", "t"], ["y"])]
    return differs("Expand to Where of it", due, given(nodes, {"x": x}, constants, due)) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
