"""Where(Not(c), a, b) loses its Not, but a and b are not always exchanged.

Triggers on a Where whose condition is a negation. It shows if a or b is broadcast: the pass does not exchange these.
Modelled on: NNSmith, section 5.4, wrong broadcasting: TVM and a Where whose operands are broadcast.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    negation = graph.maker(node.input[0], "Not") if node.op_type == "Where" else None
    if negation is None:
        return None
    _, true, false = node.input
    full = graph.alike(true, false, node.output[0])
    return [changed(node, inputs=[negation.input[0], *((false, true) if full else (true, false))])]


plant = before_session(rewrite)
