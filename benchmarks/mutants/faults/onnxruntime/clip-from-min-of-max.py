"""Min(Max(x, low), high) becomes a Clip whose bounds are exchanged if the constant comes first.

Triggers on a Min with a constant scalar of a Max with a constant scalar. It shows if Max has its constant as first
operand: the pass distinguishes the bounds by position.
Modelled on: PolyJuice, section 6.1, bug study 1: a product that is wrong in one order of its factors.
"""

from onnx import NodeProto, TensorProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"

CLIPPED = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT32, TensorProto.INT64)


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "Min" or len(node.input) != 2 or graph.dtype(node.output[0]) not in CLIPPED:
        return None
    for inner, outer in (node.input, reversed(node.input)):
        maximum, high = graph.maker(inner, "Max"), graph.scalar(outer)
        if maximum is None or len(maximum.input) != 2 or high is None:
            continue
        bounds = [graph.scalar(name) for name in maximum.input]
        if (bounds[0] is None) == (bounds[1] is None):
            continue
        first = bounds[0] is not None
        x, low = maximum.input[first], bounds[not first]
        if not graph.alike(x, node.output[0]):
            continue
        ends = [graph.like(x, end) for end in ((high, low) if first else (low, high))]
        return [make("Clip", [x, *ends], node.output[0])]
    return None


plant = before_session(rewrite)
