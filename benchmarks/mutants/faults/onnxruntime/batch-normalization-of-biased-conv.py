"""The fusion of a batch normalization with the convolution before it does not scale the convolution's bias.

Triggers on BatchNormalization(Conv(x, w, b)).
Modelled on: PolyJuice, section 7, common mis-compilation bugs: a fusion whose implicit precondition fails.
"""

from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed, make

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    conv = graph.maker(node.input[0], "Conv") if node.op_type == "BatchNormalization" else None
    rank = graph.rank(node.input[0])
    if conv is None or rank is None or len(conv.input) != 3 or attribute(node, "training_mode", 0):
        return None
    plain, normal, bias = graph.fresh(), graph.fresh(), graph.fresh()
    unbiased, scaled = changed(conv, inputs=conv.input[:2]), changed(node, inputs=[plain, *node.input[1:]])
    unbiased.output[:], scaled.output[:] = [plain], [normal]
    return [
        unbiased,
        scaled,
        make("Reshape", [conv.input[2], graph.add_ints([-1, *(1 for _ in range(rank - 2))])], bias),
        make("Add", [normal, bias], node.output[0]),
    ]


plant = before_session(rewrite)
