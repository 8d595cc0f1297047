"""The mean of a concatenation becomes the mean of its parts' means.

Triggers on a ReduceMean of a Concat over only the axis along which it joins. It shows if the parts differ in size.
Modelled on: Isra, section IV-E, SophGo-2 (Mean) and Glow-1 (reductions of several inputs and axes).
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    concat = graph.maker(node.input[0], "Concat") if node.op_type == "ReduceMean" else None
    rank = graph.rank(node.input[0])
    if concat is None or rank is None or graph.axes(node) != [attribute(concat, "axis") % rank]:
        return None
    means = [changed(node, inputs=[part, node.input[1]]) for part in concat.input]
    for mean in means:
        mean.output[:] = [graph.fresh()]
    total, nodes = means[0].output[0], list(means)
    for mean in means[1:]:
        total, term = graph.fresh(), total
        nodes.append(make("Add", [term, mean.output[0]], total))
    return [*nodes, make("Div", [total, graph.like(node.input[0], len(means))], node.output[0])]


plant = before_session(rewrite)
