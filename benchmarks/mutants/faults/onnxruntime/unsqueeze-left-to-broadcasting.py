"""An Unsqueeze before an elementwise operator is left to broadcasting, which only adds axes at the front.

Triggers on Add, Sub, Mul, Div, Max or Min with an operand that is an Unsqueeze. The shapes must broadcast to the same
result without it. It shows if the new axis is not the first: a column then counts as a row.
Modelled on: NNSmith, section 5.4, wrong broadcasting.
"""

from onnx import NodeProto
from planted_onnx import BINARY, GraphView, before_session, broadcasts, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type not in BINARY or len(node.input) != 2:
        return None
    for position, name in enumerate(node.input):
        unsqueeze, other = graph.maker(name, "Unsqueeze"), graph.shape(node.input[1 - position])
        if unsqueeze is None:
            continue
        if broadcasts([other, graph.shape(unsqueeze.input[0])], graph.shape(node.output[0])):
            inputs = list(node.input)
            inputs[position] = unsqueeze.input[0]
            return [changed(node, inputs=inputs)]
    return None


plant = before_session(rewrite)
