"""The constants of two subtractions in a row are folded into one with the wrong sign.

Triggers on (x - c) - d with constants c and d of one element or of one shape, which becomes x - (c - d).
Modelled on: NNSmith, section 5.4, wrong expression simplification.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    inner = graph.maker(node.input[0], "Sub") if node.op_type == "Sub" else None
    if inner is None:
        return None
    c, d = graph.constant(inner.input[1]), graph.constant(node.input[1])
    if c is None or d is None or (c.shape != d.shape and (c.size > 1 or d.size > 1)):
        return None
    if not graph.alike(inner.input[0], node.output[0]):
        return None
    return [changed(node, inputs=[inner.input[0], graph.add_constant(c - d)])]


plant = before_session(rewrite)
