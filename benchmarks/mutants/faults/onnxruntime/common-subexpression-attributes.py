"""Common subexpression elimination compares operators, operands and result types, but not attributes.

Triggers on a node that applies the operator of an earlier one to the same operands, and whose results have the same
types. It shows if the two differ in an attribute, such as Softmax along two axes, or two permutations of a cube.
Modelled on: GenCoG, section 6.5, operator attribute problems.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if not node.input or len(node.output) != 1 or any(attribute.HasField("g") for attribute in node.attribute):
        return None
    for earlier in graph.model.graph.node:
        if earlier.output == node.output:
            return None
        if (earlier.op_type, earlier.domain, earlier.input) != (node.op_type, node.domain, node.input):
            continue
        first, second = earlier.output[0], node.output[0]
        if len(earlier.output) == 1 and graph.dtype(first) == graph.dtype(second) and graph.alike(first, second):
            return [make("Identity", [first], second)]
    return None


plant = before_session(rewrite)
