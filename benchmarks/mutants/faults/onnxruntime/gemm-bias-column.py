"""A column that is added to a matrix product becomes the bias of a Gemm as if it were a row.

Triggers on Add(MatMul(a, b), c) of matrices with c of shape [m, 1], if the product is square.
Modelled on: GenCoG, section 6.5, bug 9: TVM's fusion of dense with a broadcasting add.
"""

from onnx import NodeProto, TensorProto
from planted_onnx import GraphView, before_session, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    if node.op_type != "Add" or graph.dtype(node.output[0]) not in (TensorProto.FLOAT, TensorProto.DOUBLE):
        return None
    for product, bias in (node.input, reversed(node.input)):
        matmul, shape = graph.maker(product, "MatMul"), graph.shape(product)
        if matmul is None or shape is None or any(graph.rank(name) != 2 for name in matmul.input):
            continue
        rows, columns = shape
        if rows != columns or graph.shape(bias) != (rows, 1):
            continue
        row = graph.fresh()
        return [
            make("Reshape", [bias, graph.add_ints([columns])], row),
            make("Gemm", [*matmul.input, row], node.output[0]),
        ]
    return None


plant = before_session(rewrite)
