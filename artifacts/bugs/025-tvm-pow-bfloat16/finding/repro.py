"""tvm 0.27.0.post1: min failed in compile: InternalError: Check failed: (IsFloatType(x.ty())) is
false: power only applies to float

A does not compile and run.
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
import ml_dtypes
from onnx import TensorProto, helper

x0 = np.array(0, ml_dtypes.bfloat16)


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
    inputs = [helper.make_tensor_value_info("x0", TensorProto.BFLOAT16, [])]
    outputs = [helper.make_tensor_value_info("y", TensorProto.BFLOAT16, [])]
    graph = helper.make_graph(nodes, "model", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return made.SerializeToString()


A = model([
    helper.make_node("Pow", ["x0", "x0"], ["y"]),
])

try:
    prepare(A, [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
