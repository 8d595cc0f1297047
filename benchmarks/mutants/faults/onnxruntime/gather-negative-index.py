"""Negative indices of a Gather count from the end of the first axis, whichever axis it gathers from.

Triggers on a Gather with constant indices, some of them negative, along an axis other than the first. It shows if the
two axes differ in size; an index outside of the axis is moved to the nearest element.
Modelled on: GenCoG, section 6.5, invalid memory access (bug 11), and tensor shape problems (bug 14).
"""

import numpy as np
from onnx import NodeProto
from planted_onnx import GraphView, attribute, before_session, changed

MODULE = "onnxruntime"


def rewrite(graph: GraphView, node: NodeProto) -> list[NodeProto] | None:
    indices = graph.constant(node.input[1]) if node.op_type == "Gather" else None
    shape = graph.shape(node.input[0])
    if indices is None or shape is None or not (indices < 0).any():
        return None
    axis = attribute(node, "axis", 0)
    counted = np.clip(np.where(indices < 0, indices + shape[0], indices), 0, shape[axis] - 1)
    return [changed(node, inputs=[node.input[0], graph.add_constant(counted.astype(indices.dtype))])]


plant = before_session(rewrite)
