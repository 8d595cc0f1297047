"""A repeated operand of Sum or Mean counts once, as it would for Max and Min.

Triggers on Sum and Mean with a repeated operand.
Modelled on: Isra, section IV-E, SophGo-2: Mean whose inputs are the same tensor.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    distinct = list(dict.fromkeys(node.input))
    if node.op_type not in ("Sum", "Mean") or len(distinct) == len(node.input):
        return None
    return [changed(node, inputs=distinct)]


plant = before_session(rewrite)
