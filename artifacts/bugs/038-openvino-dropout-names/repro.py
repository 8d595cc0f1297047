"""A model with Dropout of its input, which does nothing, has lost the input's name, in OpenVINO 2026.4.1.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys

try:
    import numpy as np
    import openvino
    from onnx import TensorProto, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def main():
    x = np.array([1, 2, 3, 4], np.float32)
    wrong = False
    for operators in (["Identity"], ["Dropout"], ["Dropout", "Relu"], ["Relu", "Dropout"]):
        names = ["x", "y"] if len(operators) == 1 else ["x", "z", "y"]
        graph = helper.make_graph(
            [helper.make_node(operator, [names[i]], [names[i + 1]]) for i, operator in enumerate(operators)],
            "minimal",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in names[1:]],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        core = openvino.Core()
        compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU")
        inputs, outputs = ([sorted(port.names) for port in ports] for ports in (compiled.inputs, compiled.outputs))
        try:
            request = compiled.create_infer_request()
            request.set_tensor("x", openvino.Tensor(x))
            request.infer()
            for name in names[1:]:
                request.get_tensor(name)
            said = "by name: runs"
        except RuntimeError as error:
            said = "by name: " + str(error).strip().splitlines()[-1]
        by_position = [value.tolist() for value in compiled([x]).to_dict().values()]
        print("(".join(reversed(operators)) + "(x" + ")" * len(operators), "inputs", inputs, "outputs", outputs, said)
        print("    by position:", by_position)
        wrong |= said != "by name: runs"
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
