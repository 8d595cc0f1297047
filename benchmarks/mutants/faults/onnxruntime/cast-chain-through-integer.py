"""A chain of two casts becomes one, although the type in the middle truncates.

Triggers on Cast(Cast(x)) from a floating type to an integer and back to a floating type.
Modelled on: PolyJuice, section 6.1, bug study 1, incorrect type casting, and section 7: types on the way to
lower levels are the most common source of bugs.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    inner = graph.maker(node.input[0], "Cast") if node.op_type == "Cast" else None
    if inner is None or not graph.is_float(inner.input[0]) or not graph.is_float(node.output[0]):
        return None
    return [changed(node, inputs=inner.input)] if graph.is_signed_integer(inner.output[0]) else None


plant = before_session(rewrite)
