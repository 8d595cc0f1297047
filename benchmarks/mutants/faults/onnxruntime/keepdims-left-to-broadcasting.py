"""A reduction that keeps its axes for broadcasting no longer keeps them.

Triggers on Add, Sub, Mul, Div, Max or Min with an operand that is a reduction with keepdims = 1. The shapes must still
broadcast to the same result without the reduced axes. It shows if these are not the first ones: a row of a square
matrix then meets the mean of another row.
Modelled on: NNSmith, section 5.4, wrong broadcasting.
"""

from onnx import NodeProto
from planted_onnx import BINARY, GraphView, attribute, before_session, broadcasts, changed

MODULE = "onnxruntime"

REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2")


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type not in BINARY or len(node.input) != 2:
        return None
    for position, name in enumerate(node.input):
        reduction, kept = graph.maker(name, *REDUCTIONS), graph.shape(name)
        if reduction is None or kept is None or not attribute(reduction, "keepdims", 1):
            continue
        axes = graph.axes(reduction)
        other = graph.shape(node.input[1 - position])
        squeezed = tuple(size for axis, size in enumerate(kept) if axis not in (axes or ()))
        if not axes or not broadcasts([other, squeezed], graph.shape(node.output[0])):
            continue
        inputs = list(node.input)
        inputs[position] = graph.fresh()
        reduced = changed(reduction, keepdims=0)
        reduced.output[:] = [inputs[position]]
        return [reduced, changed(node, inputs=inputs)]
    return None


plant = before_session(rewrite)
