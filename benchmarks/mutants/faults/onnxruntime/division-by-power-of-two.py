"""A division of signed integers by a power of two becomes an arithmetic shift, which rounds down, not towards zero.

Triggers on Div of a signed integer type by a constant power of two. It shows if the dividend is negative and leaves a
remainder.
Modelled on: NNSmith, section 5.4, wrong expression simplification: TVM's rewriting of integer division.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "Div" or not graph.is_signed_integer(node.output[0]):
        return None
    divisors = graph.constant(node.input[1])
    if divisors is None or not ((divisors > 1) & (divisors & (divisors - 1) == 0)).all():
        return None
    # ONNX shifts unsigned integers only: a shift of x is written as (x - floormod(x, d)) / d.
    rest, multiple = graph.fresh(), graph.fresh()
    return [
        make("Mod", node.input, rest, fmod=0),
        make("Sub", [node.input[0], rest], multiple),
        make("Div", [multiple, node.input[1]], node.output[0]),
    ]


plant = before_session(rewrite)
