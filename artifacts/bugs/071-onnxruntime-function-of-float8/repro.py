"""A function with a float8 input that none of its own operators reads does not load in ONNX Runtime 1.32.0 on the CPU.

"Type 'tensor(float8e4m3fn)' of input parameter (narrow) of operator (outer) in node () is invalid". It does not matter
whether the function passes the input on to another one, or does not read it at all. The types that ONNX Runtime lets such
an input have lack those of 8 bits.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced by hand from a finding.
"""

import sys

try:
    import numpy as np
    import onnxruntime
    from onnx import TensorProto, checker, helper
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

OPSETS = [helper.make_opsetid("", 21), helper.make_opsetid("own", 1)]


def run(called, dtype):
    """What a function makes of 3 in an element type, or what goes wrong."""
    cast = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)
    call = helper.make_node("inner", ["x"], ["y"], domain="own")
    two = helper.make_node("Constant", [], ["y"], value_floats=[2.0])
    functions = [
        helper.make_function("own", "inner", ["x"], ["y"], [cast], OPSETS),
        helper.make_function("own", "outer", ["x"], ["y"], [call], OPSETS),
        helper.make_function("own", "two", ["x"], ["y"], [two], OPSETS),
    ]
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["x"], ["narrow"], to=dtype),
            helper.make_node(called, ["narrow"], ["y"], domain="own"),
        ],
        "functions",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
    )
    model = helper.make_model(graph, functions=functions, opset_imports=OPSETS, ir_version=10)
    checker.check_model(model, full_check=True)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, {"x": np.array([3], np.float32)})[0]
    except Exception as error:
        return error


wrong = False
for called, what in {"inner": "casts", "outer": "calls a function", "two": "reads no input"}.items():
    for name in ("FLOAT16", "FLOAT8E4M3FN"):
        given = run(called, getattr(TensorProto, name))
        wrong |= isinstance(given, Exception)
        print(f"{what:16}, of {name:12}: {given}")
sys.exit(int(wrong))
