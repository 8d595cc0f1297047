"""The difference y - x * 2 becomes y + x * 2 - 1.

Triggers on a subtraction whose right operand is a product with the constant 2, in any type.
Modelled on: PolyJuice, sections 1 and 2.1: TVM simplified y - (x * 2) to this, February to April 2023.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    product = graph.maker(node.input[1], "Mul") if node.op_type == "Sub" else None
    if product is None or 2 not in [graph.scalar(name) for name in product.input]:
        return None
    total = graph.fresh()
    return [
        make("Add", node.input, total),
        make("Sub", [total, graph.like(node.input[0], 1)], node.output[0]),
    ]


plant = before_session(rewrite)
