"""A max pooling with unequal padding has the padding of its two ends exchanged.

Triggers on MaxPool with explicit pads that differ between the beginning and the end of an axis.
Modelled on: Isra, section IV-E, SophGo-4, erroneous parsing of pooling; GenCoG, table 5,
bug 13, an operator attribute mishandled in TOPI.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    pads = attribute(node, "pads") if node.op_type == "MaxPool" and len(node.output) == 1 else None
    if not pads or attribute(node, "ceil_mode", 0):
        return None
    half = len(pads) // 2
    return [changed(node, pads=[*pads[half:], *pads[:half]])]


plant = before_session(rewrite)
