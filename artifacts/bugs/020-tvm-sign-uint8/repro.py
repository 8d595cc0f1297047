"""Sign of uint8 does not compile under TVM 0.27.0.post1: the constant -1 is made in its unsigned type.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import tvm
    import tvm.relax.frontend.onnx
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def compiles(element_type):
    """Whether the Sign of a vector compiles."""
    x, y = (helper.make_tensor_value_info(name, element_type, [3]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Sign", ["x"], ["y"])], "sign", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    what = f"Sign of {TensorProto.DataType.Name(element_type)}:"
    try:
        tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    except Exception as error:
        print(what, str(error).strip().splitlines()[-1])
        return False
    print(what, "compiles")
    return True


compiles(TensorProto.INT8)
sys.exit(0 if compiles(TensorProto.UINT8) else 1)
