"""Opaque nodes: operators that the table lacks, kept verbatim, with attributes as serialized AttributeProtos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, helper

from polyjuice.frameworks import library
from polyjuice.frameworks.onnx.subgraphs import RESERVED, close, nested_nodes, reopen
from polyjuice.frameworks.onnx.tensors import result_type, to_tensor, to_value_info
from polyjuice.frameworks.onnx.versions import IR_VERSION, is_default
from polyjuice.ir import Node, TensorType

#: The attribute with the number of trailing inputs that the node's subgraphs capture.
CAPTURED = "polyjuice_captured"

#: The prefix of opaque nodes' names in the files that this package writes. The node's identity follows. Without one,
#: NO_IDENTITY and the name of a result follow, since names of nodes are unique.
MARK = f"{RESERVED}opaque:"
NO_IDENTITY = ":"

#: The domains whose operators are functions of their inputs, except for the random ones below.
_PURE_DOMAINS = ("ai.onnx.ml",)

_RANDOM = frozenset(
    (
        "Bernoulli",
        "Dropout",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    )
)


def is_stateful(node: NodeProto) -> bool:
    """Whether two runs of a node may differ, which counts as true for operators of unknown domains."""
    known = all(is_default(inner.domain) or inner.domain in _PURE_DOMAINS for inner in nested_nodes(node))
    return not known or draws_randomly(node)


def draws_randomly(node: NodeProto) -> bool:
    """Whether a node, or one in its subgraphs, is one of ONNX's operators that draw random numbers."""
    return any(inner.op_type in _RANDOM for inner in nested_nodes(node))


def from_proto(proto: NodeProto, identity: str) -> Node:
    """The opaque Node of a NodeProto; the outer values that its subgraphs capture follow its own inputs."""
    closed, captured = close(proto)
    attrs: dict[str, object] = {a.name: a.SerializeToString(deterministic=True) for a in closed.attribute}
    if captured:
        attrs[CAPTURED] = len(captured)
    domain = "" if is_default(proto.domain) else proto.domain
    return Node(proto.op_type, (*proto.input, *captured), tuple(proto.output), attrs, domain, True, identity)


def to_proto(node: Node) -> NodeProto:
    own = len(node.inputs) - node.attrs.get(CAPTURED, 0)
    name = node.identity or NO_IDENTITY + next(filter(None, node.outputs), "")
    proto = NodeProto(op_type=node.op, domain=node.domain, name=MARK + name)
    proto.input.extend(node.inputs[:own])
    proto.output.extend(node.outputs)
    proto.attribute.extend(AttributeProto.FromString(raw) for name, raw in node.attrs.items() if name != CAPTURED)
    reopen(proto, list(node.inputs[own:]))
    return proto


def infer_results(
    node: Node, types: Mapping[str, TensorType], known: Mapping[str, np.ndarray], opsets: Mapping[str, int]
) -> Sequence[TensorType | None]:
    """The result types that ONNX's shape inference finds for an opaque node, None where it finds none.

    ``known`` has the arrays of operands with known values. Raises FormatError for types that the IR lacks, and for a
    node that ONNX's shape inference finds wrong.
    """
    graph = GraphProto(name="one node", node=[to_proto(node)])
    for name in dict.fromkeys(filter(None, node.inputs)):
        if name in known:
            graph.initializer.append(to_tensor(known[name], name))
        else:
            graph.input.append(to_value_info(name, types[name]))
    for name in filter(None, node.outputs):
        graph.output.add(name=name)
    imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
    model = ModelProto(ir_version=IR_VERSION, graph=graph, opset_import=imports)
    inferred = library.inferred(model)
    found = {info.name: result_type(info.type, info.name) for info in inferred.graph.output}
    if not all(found.get(name) for name in filter(None, node.outputs)):
        library.inferred(model, strict=True)
    return [found.get(name) for name in node.outputs]
