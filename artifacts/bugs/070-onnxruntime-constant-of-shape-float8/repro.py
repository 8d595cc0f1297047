"""A model with ConstantOfShape of float8 does not load in ONNX Runtime 1.32.0 on the CPU.

"Unsupported value attribute datatype: 17". ONNX has ConstantOfShape of float8 from opset 20 on, and so has ONNX Runtime a
kernel; what the kernel reads its value with lacks the types.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import onnxruntime
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

fill = helper.make_tensor("fill", TensorProto.FLOAT8E4M3FN, [1], b"\0", raw=True)
graph = helper.make_graph(
    [
        helper.make_node("ConstantOfShape", ["shape"], ["zeros"], value=fill),
        helper.make_node("Cast", ["zeros"], ["y"], to=TensorProto.FLOAT),
    ],
    "zeros",
    [],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    [helper.make_tensor("shape", TensorProto.INT64, [1], [2])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
checker.check_model(model, full_check=True)
try:
    print(onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {}))
except Exception as error:
    print("fails:", error)
    sys.exit(1)
sys.exit(0)
