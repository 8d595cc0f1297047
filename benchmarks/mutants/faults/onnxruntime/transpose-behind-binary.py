"""A transposition moves behind an elementwise operator, but the other operand does not get the inverse one.

Triggers on Add, Sub, Mul, Div, Max or Min with one transposed operand. The inverse transposition must not change the
shape of the other operand, such as a square matrix: the pass only looks at the shape.
Modelled on: NNSmith, section 5.4, wrong layout analysis: layout changes beside broadcasting operators.
"""

from onnx import NodeProto
from planted_onnx import BINARY, GraphView, attribute, before_session, changed, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type not in BINARY or len(node.input) != 2:
        return None
    for position, name in enumerate(node.input):
        transpose, other = graph.maker(name, "Transpose"), graph.sizes(node.input[1 - position])
        perm = attribute(transpose, "perm") if transpose else None
        if transpose is None or perm is None or other is None or len(other) != len(perm):
            continue
        if [other[axis] for axis in perm] != list(other) or not graph.alike(name, node.output[0]):
            continue
        inputs = list(node.input)
        inputs[position] = transpose.input[0]
        result = graph.fresh()
        moved = changed(node, inputs=inputs)
        moved.output[:] = [result]
        return [moved, make("Transpose", [result], node.output[0], perm=perm)]
    return None


plant = before_session(rewrite)
