"""A product of uint8 that is cast to a wider type is computed in that type, and no longer wraps around.

Triggers on a Cast of Mul, Add or Sub of uint8. It shows if the exact result is outside of 0 to 255.
Modelled on: PolyJuice, section 6.1, bug study 1: C++ promotes the unsigned chars of TorchInductor to int.
"""

from onnx import NodeProto, TensorProto
from planted_onnx import GraphView, before_session, changed, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    inner = graph.maker(node.input[0], "Mul", "Add", "Sub") if node.op_type == "Cast" else None
    if inner is None or graph.dtype(inner.output[0]) != TensorProto.UINT8:
        return None
    wide = (TensorProto.INT32, TensorProto.INT64, TensorProto.FLOAT, TensorProto.DOUBLE)
    if graph.dtype(node.output[0]) not in wide:
        return None
    names = [graph.fresh() for _ in inner.input]
    casts = [changed(node, inputs=[name]) for name in inner.input]
    for cast, name in zip(casts, names, strict=True):
        cast.output[:] = [name]
    return [*casts, make(inner.op_type, names, node.output[0])]


plant = before_session(rewrite)
