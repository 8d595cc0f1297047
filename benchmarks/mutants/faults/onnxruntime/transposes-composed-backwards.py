"""Two transpositions in a row become one whose permutation is composed in the wrong order.

Triggers on Transpose(Transpose(x)) of rank 3 or more if both orders result in the same shape. It shows if the two
permutations do not commute.
Modelled on: NNSmith, section 5.4, wrong layout analysis.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    inner = graph.maker(node.input[0], "Transpose") if node.op_type == "Transpose" else None
    shape = graph.sizes(inner.input[0]) if inner else None
    if inner is None or shape is None:
        return None
    first, second = attribute(inner, "perm"), attribute(node, "perm")
    if first is None or second is None:
        return None
    perm = [second[axis] for axis in first]
    if tuple(shape[axis] for axis in perm) != graph.sizes(node.output[0]):
        return None
    return [changed(node, inputs=inner.input, perm=perm)]


plant = before_session(rewrite)
