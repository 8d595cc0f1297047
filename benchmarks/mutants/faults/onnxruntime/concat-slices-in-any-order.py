"""The concatenation of slices that together cover a tensor becomes that tensor, in whatever order they are.

Triggers on a Concat of slices of one tensor along the Concat's axis, with step 1, that cover it without overlap. The
pass sorts them by their starts, and only checks that there is no gap.
Modelled on: PolyJuice, section 7, common mis-compilation bugs: a fusion whose implicit precondition fails.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "Concat" or len(node.input) < 2:
        return None
    slices = [graph.maker(name, "Slice") for name in node.input]
    if any(part is None or part.input[0] != slices[0].input[0] for part in slices):
        return None
    shape = graph.shape(slices[0].input[0])
    if shape is None:
        return None
    axis = attribute(node, "axis") % len(shape)
    spans = []
    for part in slices:
        start, end, step = (graph.ints(part, position) for position in (1, 2, 4))
        if not start or not end or graph.axes(part, 3) != [axis] or (step or [1]) != [1]:
            return None
        spans.append(slice(start[0], end[0]).indices(shape[axis])[:2])
    spans.sort()
    ends = [0, *(end for _, end in spans)]
    whole = ends[-1] == shape[axis] and all(start == end for (start, _), end in zip(spans, ends, strict=False))
    return [make("Identity", slices[0].input[:1], node.output[0])] if whole else None


plant = before_session(rewrite)
