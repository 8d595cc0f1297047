"""An average pooling with strides counts the padding among the elements that it averages.

Triggers on AveragePool with explicit pads, a stride above 1, and count_include_pad = 0.
Modelled on: GenCoG, section 6.5 and table 5, bug 13: an operator attribute mishandled in TOPI.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "AveragePool" or not any(attribute(node, "pads", [])):
        return None
    return [changed(node, count_include_pad=1)] if max(attribute(node, "strides", [1])) > 1 else None


plant = before_session(rewrite)
