"""A transposition before a Flatten is dropped.

Triggers on a Flatten at axis 1, or a Reshape to a matrix with the same rows, of a Transpose that keeps the first axis.
The pass only checks that the batch stays in place, and that the other axes are merged.
Modelled on: Isra, section IV-E, TVM-9: wrong results of a model with Flatten.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    transpose = graph.maker(node.input[0], "Transpose") if node.op_type in ("Flatten", "Reshape") else None
    before, after = graph.sizes(node.input[0]), graph.sizes(node.output[0])
    if transpose is None or before is None or after is None or (attribute(transpose, "perm") or [1])[0] != 0:
        return None
    if len(after) != 2 or before[0] != after[0] or (node.op_type == "Flatten" and attribute(node, "axis", 1) != 1):
        return None
    return [changed(node, inputs=[transpose.input[0], *node.input[1:]])]


plant = before_session(rewrite)
