"""x * 0 and 0 / x of constant zeros give 0 for NaN, in TVM 0.27.0.post1 on the CPU, silently.

const_fold.h makes 0 of such a product or quotient of floating-point numbers, without a look at x.
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
    x = np.array([np.nan, np.inf, 1], np.float32)
    zero = {"zero": np.array(0, np.float32)}
    due = np.array([np.nan, np.nan, 0], np.float32)
    wrong = differs("x * 0", due, given([node("Mul", ["x", "zero"], ["y"])], {"x": x}, zero, due))
    x = np.array([np.nan, 0, 1], np.float32)
    return differs("0 / x", due, given([node("Div", ["zero", "x"], ["y"])], {"x": x}, zero, due)) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
