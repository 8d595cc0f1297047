"""The L1 norm of a reshaped tensor becomes its sum: the absolute value is lost.

Triggers on ReduceL1 of a Flatten or Reshape.
Modelled on: Isra, section IV-E, TVM-9: wrong results of a model with Flatten and ReduceL1.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "ReduceL1" or graph.maker(node.input[0], "Flatten", "Reshape") is None:
        return None
    return [changed(node, op_type="ReduceSum")]


plant = before_session(rewrite)
