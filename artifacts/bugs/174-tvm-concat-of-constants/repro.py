"""Add(x, Concat(c, c)) of a constant int64 vector c does not load, in TVM 0.27.0.post1 on the CPU.

The importer makes a shape of the concatenated constants, which most operators cannot take.
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


def fails(what, error_part, nodes, inputs, constants, due):
    """Whether the model does not compile, with this error; print what comes of it."""
    try:
        y = given(nodes, inputs, constants, due)
    except Exception as error:
        if error_part not in str(error):
            raise
        print(f"{what}: due {due.tolist()}, but: ...{error_part}...")
        return True
    print(f"{what}: due {due.tolist()}, given {y.tolist()}")
    return False


def main():
    x = np.arange(4)
    due = x + np.array([2, 5, 2, 5])
    nodes = [node("Concat", ["c", "c"], ["s"], axis=0), node("Add", ["x", "s"], ["y"])]
    error = "cannot handle ShapeExpr inputs."
    return fails("Add(x, Concat(c, c))", error, nodes, {"x": x}, {"c": np.array([2, 5])}, due)


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
