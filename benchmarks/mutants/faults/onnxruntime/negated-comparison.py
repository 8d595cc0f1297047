"""The negation of a strict comparison becomes the opposite comparison, and stays strict.

Triggers on Not(Less(a, b)), which becomes Greater(a, b), and on Not(Greater(a, b)). It shows if a and b are equal.
Modelled on: PolyJuice, section 6.1, bug study 2: a comparison that TVM converts to another.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"

OPPOSITE = {"Less": "Greater", "Greater": "Less"}


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    comparison = graph.maker(node.input[0], *OPPOSITE) if node.op_type == "Not" else None
    return comparison and [make(OPPOSITE[comparison.op_type], comparison.input, node.output[0])]


plant = before_session(rewrite)
