"""A value that is an output of the graph and also an operand is written to the output alone; its reader finds zeros.

Triggers on an elementwise unary operator whose value is an output of the graph and also an operand.
Modelled on: PolyJuice, section 6.1, bug study 3 and figure 9: Hidet allocates two buffers and writes one.
"""

from onnx import NodeProto
from planted_onnx import UNARY, GraphView, before_session, changed, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    stale = [name for name in node.input if name in graph.outputs and graph.maker(name, *UNARY)]
    if not stale or node.op_type == "Identity":
        return None
    shape, zeros = graph.fresh(), graph.fresh()
    inputs = [zeros if name == stale[0] else name for name in node.input]
    return [
        make("Shape", stale[:1], shape),
        make("Expand", [graph.like(stale[0], 0), shape], zeros),
        changed(node, inputs=inputs),
    ]


plant = before_session(rewrite)
