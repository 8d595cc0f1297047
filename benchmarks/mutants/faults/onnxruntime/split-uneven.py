"""The parts of a Split begin at multiples of their own size.

Triggers on a Split into parts of given sizes. It shows if these differ, unless all parts still begin at the same
places. A part never reaches over the end.
Modelled on: Isra, section IV-E, SophGo-5: an incorrect implementation of Split.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    sizes = graph.ints(node, 1) if node.op_type == "Split" else None
    shape = graph.shape(node.input[0])
    if sizes is None or shape is None or not all(node.output):
        return None
    axis = attribute(node, "axis", 0) % len(shape)
    starts = [min(i * size, shape[axis] - size) for i, size in enumerate(sizes)]
    return [
        make("Slice", [node.input[0], *(graph.add_ints([i]) for i in (start, start + size, axis))], output)
        for output, start, size in zip(node.output, starts, sizes, strict=True)
    ]


plant = before_session(rewrite)
