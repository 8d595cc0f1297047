"""The Relu of a sum is dropped if one term of the sum cannot be negative.

Triggers on Relu(Add(a, b)) if a or b comes from Relu, Abs, Sigmoid, Exp, Sqrt or ReduceSumSquare.
Modelled on: HirGen, section 5.2, bug 1: a wrong estimate of the range of an operator's result.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"

NONNEGATIVE = ("Relu", "Abs", "Sigmoid", "Exp", "Sqrt", "ReduceSumSquare")


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    total = graph.maker(node.input[0], "Add") if node.op_type == "Relu" else None
    if total is None or not any(graph.maker(name, *NONNEGATIVE) for name in total.input):
        return None
    return [make("Identity", node.input, node.output[0])]


plant = before_session(rewrite)
