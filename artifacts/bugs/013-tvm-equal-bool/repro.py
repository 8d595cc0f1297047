"""Equal of two booleans does not compile under TVM 0.27.0.post1 for LLVM: it is compared as a floating-point number.

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


def compiles(operator, element_type):
    """Whether one comparison of two vectors compiles."""
    operands = [helper.make_tensor_value_info(name, element_type, [3]) for name in "xy"]
    result = helper.make_tensor_value_info("z", TensorProto.BOOL, [3])
    graph = helper.make_graph([helper.make_node(operator, ["x", "y"], ["z"])], "compare", operands, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    what = f"{operator} of {TensorProto.DataType.Name(element_type)}:"
    try:
        tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    except Exception as error:
        print(what, str(error).strip().splitlines()[-1])
        return False
    print(what, "compiles")
    return True


compiles("Equal", TensorProto.UINT8)
compiles("Xor", TensorProto.BOOL)
sys.exit(0 if compiles("Equal", TensorProto.BOOL) else 1)
