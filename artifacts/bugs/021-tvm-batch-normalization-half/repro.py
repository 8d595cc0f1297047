"""Nothing of float16 can follow a BatchNormalization of float16 in TVM 0.27.0.post1: its result is float32.

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
    """Whether a batch normalization and a product after it compile."""
    nodes = [
        helper.make_node("BatchNormalization", ["x", "scale", "bias", "mean", "variance"], ["normal"]),
        helper.make_node("Mul", ["normal", "x"], ["y"]),
    ]
    sizes = {"x": [1, 2, 3, 3], "scale": [2], "bias": [2], "mean": [2], "variance": [2]}
    operands = [helper.make_tensor_value_info(name, element_type, size) for name, size in sizes.items()]
    result = helper.make_tensor_value_info("y", element_type, sizes["x"])
    graph = helper.make_graph(nodes, "normalize", operands, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    what = f"BatchNormalization of {TensorProto.DataType.Name(element_type)}:"
    try:
        module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
        tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
    except Exception as error:
        print(what, type(error).__name__, str(error).strip().splitlines()[-1])
        return False
    print(what, "compiles")
    return True


compiles(TensorProto.FLOAT)
sys.exit(0 if compiles(TensorProto.FLOAT16) else 1)
