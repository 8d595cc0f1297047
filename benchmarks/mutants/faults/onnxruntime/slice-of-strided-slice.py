"""Two slices in a row become one that adds their starts, although the second counts in steps of the first.

Triggers on a Slice of a Slice along the same axis with positive steps. It shows if the first step is more than 1 and
the second start is not 0.
Modelled on: NNSmith, section 5.4, wrong layout analysis: TVM and slices whose stride is greater than one.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    inner = graph.maker(node.input[0], "Slice") if node.op_type == "Slice" else None
    shape = graph.shape(inner.input[0]) if inner else None
    between = graph.shape(node.input[0])
    if inner is None or shape is None or between is None:
        return None
    axes = graph.axes(inner, 3)
    if not axes or len(axes) > 1 or graph.axes(node, 3) != axes:
        return None
    spans = []
    for part, size in ((inner, shape[axes[0]]), (node, between[axes[0]])):
        start, end, step = (graph.ints(part, position) for position in (1, 2, 4))
        if not start or not end or (step or [1])[0] < 1:
            return None
        spans.append(range(size)[start[0] : end[0] : (step or [1])[0]])
    first, second = spans
    if not second:
        return None
    start, step = first.start + second.start, first.step * second.step
    bounds = [start, start + step * (len(second) - 1) + 1, axes[0], step]
    return [make("Slice", [inner.input[0], *(graph.add_ints([bound]) for bound in bounds)], node.output[0])]


plant = before_session(rewrite)
