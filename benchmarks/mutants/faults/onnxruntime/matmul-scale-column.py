"""A column of factors counts as one scalar factor when it moves behind a matrix product.

Triggers on MatMul(Mul(a, s), b) if the constant s has several elements but a last size of 1. The test for a scalar only
looks at the last size, and the pass scales the product by the first element.
Modelled on: NNSmith, section 5.4, wrong expression simplification: FuseMatMulScale of ONNX Runtime mistakes
a matrix for a scalar.
"""

from onnx import NodeProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    scaled = graph.maker(node.input[0], "Mul") if node.op_type == "MatMul" else None
    if scaled is None:
        return None
    for matrix, factor in (scaled.input, reversed(scaled.input)):
        values = graph.constant(factor)
        if values is None or values.shape[-1:] != (1,) or not graph.alike(matrix, scaled.output[0]):
            continue
        product = graph.fresh()
        return [
            make("MatMul", [matrix, node.input[1]], product),
            make("Mul", [product, graph.like(factor, values.flat[0])], node.output[0]),
        ]
    return None


plant = before_session(rewrite)
