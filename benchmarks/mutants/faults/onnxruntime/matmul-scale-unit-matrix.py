"""If both operands of a matrix product are scaled, a matrix of one element counts as the scalar (a crash).

Triggers on MatMul(Mul(a, s), Mul(b, t)) with scalars s and t and a matrix b of shape [1, 1]. The factors of the second
operand change places, and MatMul, which takes no scalars, gets t.
Modelled on: NNSmith, section 5.4, wrong expression simplification: FuseMatMulScale of ONNX Runtime.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "MatMul":
        return None
    left, right = (graph.maker(name, "Mul") for name in node.input)
    if left is None or right is None:
        return None
    scalars = [name for name in left.input if graph.shape(name) == ()]
    units = [name for name in right.input if graph.shape(name) == (1, 1)]
    factors = [name for name in right.input if graph.shape(name) == ()]
    if not (scalars and units and factors):
        return None
    matrix = next(name for name in left.input if name != scalars[0])
    product, scale = graph.fresh(), graph.fresh()
    return [
        make("Mul", [scalars[0], units[0]], scale),
        make("MatMul", [matrix, factors[0]], product),
        make("Mul", [product, scale], node.output[0]),
    ]


plant = before_session(rewrite)
