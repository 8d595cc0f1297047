"""Clip(Relu(x)) becomes one Clip with the lower bound 0, even if the Clip's lower bound was positive.

Triggers on a Clip of a Relu. It shows if the Clip's own lower bound is above 0.
Modelled on: NNSmith, section 5.4: ONNX Runtime's wrong fusion of Relu and Clip.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    relu = graph.maker(node.input[0], "Relu") if node.op_type == "Clip" else None
    if relu is None:
        return None
    return [changed(node, inputs=[relu.input[0], graph.like(node.input[0], 0), *node.input[2:]])]


plant = before_session(rewrite)
