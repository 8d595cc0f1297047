"""The root of a square becomes the number itself, not its magnitude.

Triggers on Sqrt(Mul(x, x)) and Sqrt(Pow(x, 2)). It shows if x is negative.
Modelled on: NNSmith, section 5.4, wrong expression simplification.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    square = graph.maker(node.input[0], "Mul", "Pow") if node.op_type == "Sqrt" else None
    if square is None:
        return None
    x, y = square.input
    if (y != x if square.op_type == "Mul" else graph.scalar(y) != 2) or not graph.alike(x, node.output[0]):
        return None
    return [make("Identity", [x], node.output[0])]


plant = before_session(rewrite)
