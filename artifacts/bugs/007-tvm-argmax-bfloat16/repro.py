"""ArgMax of bfloat16 does not compile under TVM 0.27.0.post1: an internal check fails in tirx::Bind.

float16, float32, float64, int8 and int32 compile. Exits 1 where the bug shows, 0 where it does not, 2 where this
could not run.
"""

import sys

try:
    import tvm
    import tvm.relax.frontend.onnx
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

model = helper.make_model(
    helper.make_graph(
        [helper.make_node("ArgMax", ["x"], ["y"], axis=0, keepdims=0)],
        "argmax",
        [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, [5, 2])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, [2])],
    ),
    opset_imports=[helper.make_opsetid("", 18)],
    ir_version=9,
)
module = tvm.relax.frontend.onnx.from_onnx(model, keep_params_in_input=False)
try:
    tvm.compile(tvm.relax.get_pipeline("zero")(module), target=tvm.target.Target("llvm"))
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[-1][:200])
    sys.exit(1)
