"""tvm 0.27.0.post1: output 0 (float32[2, 2, 1]): min is off by 1 where the result is exact at 2 of 4
elements ([0, 1, 0], [1, 0, 0]); at [1, 0, 0] it gives 0, and float64 1

A, compiled, gives other results than in float64.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys


def could_not_run(kind, error, trace):
    """Any error but the one that this is about."""
    sys.__excepthook__(kind, error, trace)
    print("could not run:", error)
    sys.exit(2)


sys.excepthook = could_not_run

import numpy as np
import onnx
import tvm
import tvm.relax.frontend.onnx
import tvm_ffi
from onnx import TensorProto, helper

x0 = np.array([[[0], [0]], [[0], [0]]], np.float32)
x1 = np.array([[[0]], [[1]]], np.float32)


def prepare(model, inputs, level="3"):
    module = tvm.relax.frontend.onnx.from_onnx(onnx.load_from_string(model), keep_params_in_input=False)
    with tvm.transform.PassContext(opt_level=int(level)):
        executable = tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    machine = tvm.relax.VirtualMachine(executable, tvm.cpu())

    def call():
        outputs = machine["main"](*[tvm.runtime.tensor(x) for x in inputs])
        outputs = outputs if isinstance(outputs, tvm_ffi.Array) else [outputs]
        return [np.array(x, np.int64) if isinstance(x, tvm_ffi.Shape) else x.numpy() for x in outputs]

    return call


def model(nodes, constants=()):
    """A model of these nodes, serialized."""
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [2, 2, 1]), helper.make_tensor_value_info("x1", TensorProto.FLOAT, [2, 1, 1])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 2, 1])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("ScatterElements", ["x0", "c0", "x1"], ["y"], axis=2, reduction="none"),
], [
    helper.make_tensor("c0", TensorProto.INT64, [2, 1, 1], [0, 0]),
])


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return np.asarray(run()[0])


def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


expected = np.array([[[0], [0]], [[1], [0]]], np.float64)  # in float64
allowed = np.array([[[np.inf], [0]], [[0], [np.inf]]], np.float64)  # the values are exact; infinite where a difference tells nothing

a = output(prepare(A, [x0, x1]))

difference = gap(a, expected)
wrong = difference > allowed
print("A (min):", a.ravel())
print("float64:", expected.ravel())
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
