"""Sqrt(Cast(Gather(Shape(x), i))) does not load, in TVM 0.27.0.post1 on the CPU.

The importer makes a number of one size of x, which is no tensor. It cannot hand this number to Sqrt and many other
operators. Exporters write the scale of an attention so: x / Sqrt(Cast(size)).
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
    x = np.ones((2, 4), np.float32)
    constants = {"last": np.array(1)}
    size = [node("Shape", ["x"], ["s"]), node("Gather", ["s", "last"], ["i"]), node("Cast", ["i"], ["n"], to=1)]
    wrong = []
    for kind, divisor in (("Sqrt", 2), ("Abs", 4)):
        nodes = [*size, node(kind, ["n"], ["r"]), node("Div", ["x", "r"], ["y"])]
        error = "requires argument 0 (x) to be a tensor."
        wrong.append(fails(f"x / {kind}(size)", error, nodes, {"x": x}, constants, x / divisor))
    return any(wrong)


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
