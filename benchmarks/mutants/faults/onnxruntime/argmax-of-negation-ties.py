"""ArgMax(Neg(x)) becomes an ArgMin(x) that returns the other end of a tie; likewise ArgMin(Neg(x)).

Triggers on an arg-reduction of a negation. It shows where the extreme value occurs more than once along the axis.
Modelled on: PolyJuice, section 6.1, bug study 2: TVM's fusion of neg and argmin.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"

OPPOSITE = {"ArgMax": "ArgMin", "ArgMin": "ArgMax"}


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    negation = graph.maker(node.input[0], "Neg") if node.op_type in OPPOSITE else None
    if negation is None:
        return None
    last = 1 - attribute(node, "select_last_index", 0)
    return [changed(node, op_type=OPPOSITE[node.op_type], inputs=negation.input, select_last_index=last)]


plant = before_session(rewrite)
