"""Bodies for the operators that ONNX lacks: local functions, with which an ONNX runtime can run the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from onnx import FunctionProto, GraphProto, NodeProto, OperatorSetIdProto

from polyjuice.frameworks.onnx.tensors import constant_node
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.ir import Graph, Node, TensorType
from polyjuice.ops.decompose import NoDecomposition, body, decompose

OVERLOADS_IR_VERSION = 10
"""The version of the file format in which functions of one name may differ."""


def local_functions(
    nodes: Iterable[tuple[Node, NodeProto]],
    types: Mapping[str, TensorType],
    write: Callable[[Graph], tuple[GraphProto, int]],
) -> list[FunctionProto]:
    """A function for every node of the table that is not ONNX's and has a body in ONNX's operators.

    ``write`` makes the body, with the opset that it needs. Equal bodies are shared. Nodes of one operator with
    different bodies get overloads (``NodeProto.overload``).
    """
    found: dict[tuple[str, str], list[bytes]] = {}
    functions: list[FunctionProto] = []
    for node, proto in nodes:
        try:
            inner = decompose(body(node, types), OPSET)
        except NoDecomposition:
            continue
        function = _function(node, proto, *write(inner))
        text = function.SerializeToString(deterministic=True)
        known = found.setdefault((node.domain, node.op), [])
        if text not in known:
            known.append(text)
            function.overload = _overload(len(known) - 1)
            functions.append(function)
        proto.overload = _overload(known.index(text))
    return functions


def _overload(number: int) -> str:
    return str(number) if number else ""


def _function(node: Node, proto: NodeProto, inner: GraphProto, opset: int) -> FunctionProto:
    function = FunctionProto(name=node.op, domain=node.domain)
    function.input.extend(info.name for info in inner.input)
    function.output.extend(info.name for info in inner.output)
    function.attribute.extend(sorted(attribute.name for attribute in proto.attribute))
    for tensor in inner.initializer:
        function.node.append(constant_node(tensor))
    function.node.extend(inner.node)
    function.opset_import.append(OperatorSetIdProto(domain="", version=opset))
    return function
