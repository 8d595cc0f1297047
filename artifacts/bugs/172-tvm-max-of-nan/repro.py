"""Max(NaN, 1) gives 1, in TVM 0.27.0.post1 on the CPU, silently; so do Min, Clip and Relu.

T.max(a, b) is compiled to an instruction that gives b where a is NaN. Max(1, NaN) is NaN, as it should be.
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
    x = np.array([np.nan, 5], np.float32)
    constants = {"low": np.array(-1, np.float32), "high": np.array(1, np.float32), "axis": np.array([0])}
    models = {
        "Max(x, z)": (node("Max", ["x", "z"], ["y"]), [np.nan, 5]),
        "Clip(x)": (node("Clip", ["x", "low", "high"], ["y"]), [np.nan, 1]),
        "Relu(x)": (node("Relu", ["x"], ["y"]), [np.nan, 5]),
        "ReduceMax(x)": (node("ReduceMax", ["x", "axis"], ["y"]), [np.nan]),
    }
    wrong = []
    for name, (one, values) in models.items():
        due = np.array(values, np.float32)
        inputs = {"x": x, "z": np.ones(2, np.float32)} if "z" in name else {"x": x}
        wrong.append(differs(name, due, given([one], inputs, constants, due)))
    return any(wrong)


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
