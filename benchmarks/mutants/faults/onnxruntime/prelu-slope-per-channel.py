"""The slopes of a PRelu count as one per channel, even if there is one per element of the last axis.

Triggers on a PRelu of rank 3 or more with a vector of slopes, if the last axis is as long as the second.
Modelled on: Isra, section IV-E, TVM-2 and SophGo-6: PRelu assumed NCHW data and C slopes.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "PRelu":
        return None
    shape, slopes = graph.shape(node.input[0]), graph.shape(node.input[1])
    if shape is None or len(shape) < 3 or slopes != (shape[1],):
        return None
    spread = graph.fresh()
    target = graph.add_ints([shape[1], *(1 for _ in shape[2:])])
    return [make("Reshape", [node.input[1], target], spread), changed(node, inputs=[node.input[0], spread])]


plant = before_session(rewrite)
