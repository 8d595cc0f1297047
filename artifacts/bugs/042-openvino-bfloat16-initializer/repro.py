"""A constant of bfloat16 in int32_data is read as the number of its bits, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import openvino
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def main():
    wrong = False
    for element in (TensorProto.FLOAT16, TensorProto.BFLOAT16):
        values = helper.make_tensor("c", element, [3], [0.5, 1, 4])
        raw = helper.make_tensor("c", element, [3], numpy_helper.to_array(values).tobytes(), raw=True)
        for c in (values, raw):
            graph = helper.make_graph(
                [
                    helper.make_node("Cast", ["c"], ["z"], to=TensorProto.FLOAT),
                    helper.make_node("Add", ["x", "z"], ["y"]),
                ],
                "minimal",
                [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
                [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])],
                [c],
            )
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
            core = openvino.Core()
            compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
            y = compiled([np.zeros(3, np.float32)])[0].tolist()
            exact = numpy_helper.to_array(c).astype(float).tolist()
            stored = "raw_data" if c.raw_data else f"int32_data {list(c.int32_data)}"
            print(TensorProto.DataType.Name(element), stored, "gives", y, "exact", exact)
            wrong |= y != exact
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
