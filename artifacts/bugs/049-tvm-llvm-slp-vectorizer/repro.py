"""A product of a matrix and its sigmoid does not compile for some shapes, in TVM 0.27.0.post1 with its LLVM 22.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import tvm
    import tvm.relax.frontend.onnx
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def compiles(shape, **options):
    """Whether Mul(x, Sigmoid(x)) of float32 does, with such options of the target."""
    nodes = [helper.make_node("Sigmoid", ["x"], ["s"]), helper.make_node("Mul", ["x", "s"], ["y"])]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy")
    graph = helper.make_graph(nodes, "product", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    target = tvm.target.Target({"kind": "llvm", **options})
    try:
        tvm.compile(tvm.relax.get_pipeline("zero")(module), target=target)
    except Exception as error:
        print(shape, options, " ".join(str(error).split())[:106])
        return False
    print(shape, options, "compiles")
    return True


if not compiles([4, 9]):
    print("could not run")
    sys.exit(2)
good = [compiles([4, 10])]
compiles([4, 10], **{"cl-opt": ["-vectorize-slp:bool=0"]})
compiles([4, 10], **{"opt-level": 2})
compiles([4, 10], **{"mcpu": "x86-64-v3"})
good += [compiles([4, 2, 5]), compiles([4, 14])]
sys.exit(0 if all(good) else 1)
