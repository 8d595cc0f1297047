"""A softmax moves before a transposition, but keeps the number of its axis.

Triggers on Softmax or LogSoftmax of a Transpose. It shows if the permutation moves the softmax's axis.
Modelled on: NNSmith, section 5.4, wrong layout analysis: operators that adapt to a changed layout.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    softmax = node.op_type in ("Softmax", "LogSoftmax")
    transpose = graph.maker(node.input[0], "Transpose") if softmax else None
    if transpose is None:
        return None
    name = graph.fresh()
    moved = changed(node, inputs=transpose.input)
    moved.output[:] = [name]
    last = changed(transpose, inputs=[name])
    last.output[:] = node.output
    return [moved, last]


plant = before_session(rewrite)
