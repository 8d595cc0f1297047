"""Two constant paddings in a row become one, which fills with the value of the second.

Triggers on Pad(Pad(x)) in mode constant, with pads that are not negative. It shows if the values differ.
Modelled on: PolyJuice, section 7, common mis-compilation bugs: a fusion whose implicit precondition fails.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    inner = graph.maker(node.input[0], "Pad") if node.op_type == "Pad" else None
    if inner is None or any(attribute(part, "mode", b"constant") != b"constant" for part in (inner, node)):
        return None
    first, second = graph.ints(inner, 1), graph.ints(node, 1)
    if first is None or second is None or len(inner.input) > 3 or len(node.input) > 3:
        return None
    if min(*first, *second, 0) < 0:
        return None
    pads = graph.add_ints([a + b for a, b in zip(first, second, strict=True)])
    return [changed(node, inputs=[inner.input[0], pads, *node.input[2:]])]


plant = before_session(rewrite)
