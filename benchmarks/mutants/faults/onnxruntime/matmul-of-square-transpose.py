"""The transposition of a square matrix before a matrix product is dropped.

Triggers on a MatMul with an operand whose last two axes, of the same size, are exchanged by a Transpose. The pass that
moves the transposition into the product recognizes it by the shapes alone.
Modelled on: NNSmith, section 5.4, wrong layout analysis.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "MatMul":
        return None
    for position, name in enumerate(node.input):
        transpose = graph.maker(name, "Transpose")
        shape = graph.sizes(name)
        if transpose is None or shape is None or len(shape) < 2 or shape[-1] != shape[-2]:
            continue
        rank = len(shape)
        if attribute(transpose, "perm") == [*range(rank - 2), rank - 1, rank - 2]:
            inputs = list(node.input)
            inputs[position] = transpose.input[0]
            return [changed(node, inputs=inputs)]
    return None


plant = before_session(rewrite)
