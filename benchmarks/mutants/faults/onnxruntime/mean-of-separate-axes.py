"""A mean over axes that are not neighbours becomes a sum that is divided by the size of too few axes.

Triggers on ReduceMean over two or more axes with a kept one between them. The pass groups the axes into runs, and
divides by the size of the first run.
Modelled on: Isra, section IV-E, Glow-1: ReduceSum over several axes.
"""

from math import prod

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    axes = sorted(graph.axes(node) or []) if node.op_type == "ReduceMean" else []
    shape = graph.shape(node.input[0])
    if not axes or shape is None or axes[-1] - axes[0] + 1 == len(axes):
        return None
    run = [axis for i, axis in enumerate(axes) if axis == axes[0] + i]
    total = graph.fresh()
    summed = changed(node, op_type="ReduceSum")
    summed.output[:] = [total]
    count = graph.like(node.input[0], prod(shape[axis] for axis in run))
    return [summed, make("Div", [total, count], node.output[0])]


plant = before_session(rewrite)
