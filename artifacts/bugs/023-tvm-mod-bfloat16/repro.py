"""Mod of bfloat16 with fmod=1 does not compile under TVM 0.27.0.post1 for LLVM: its result has no storage type.

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
    """Whether the remainders of a vector compile."""
    x, y, z = (helper.make_tensor_value_info(name, element_type, [3]) for name in "xyz")
    graph = helper.make_graph([helper.make_node("Mod", ["x", "y"], ["z"], fmod=1)], "mod", [x, y], [z])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
    what = f"Mod of {TensorProto.DataType.Name(element_type)}:"
    try:
        tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    except Exception as error:
        print(what, str(error).strip().splitlines()[-1])
        return False
    print(what, "compiles")
    return True


compiles(TensorProto.FLOAT16)
sys.exit(0 if compiles(TensorProto.BFLOAT16) else 1)
