"""A vector that is added to a convolution along its width becomes the convolution's bias, along the channels.

Triggers on Add(Conv(x, w), v) with a vector v, if the width and the channels have the same size.
Modelled on: NNSmith, section 2.3, listing 1: Conv2d with a broadcast addition behind it.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "Add":
        return None
    for result, vector in (node.input, reversed(node.input)):
        conv, shape = graph.maker(result, "Conv"), graph.shape(result)
        if conv is None or shape is None or len(conv.input) != 2 or graph.shape(vector) != (shape[1],):
            continue
        if shape[-1] != shape[1]:
            continue
        fused = changed(conv, inputs=[*conv.input, vector])
        fused.output[:] = node.output
        return [fused]
    return None


plant = before_session(rewrite)
