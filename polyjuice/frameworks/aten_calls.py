"""ATen calls as opaque nodes: an operator that the table lacks keeps its name, overload and arguments.

A call becomes a node of the domain ``aten`` (for other libraries, ``torch.ops.NAMESPACE``). It has three attributes
that any viewer of ONNX files can show: ``overload``, ``arguments`` (JSON, in which ``{"operand": 0}`` stands for the
node's first input) and ``results`` (``one`` tensor, or ``many``). Nothing here imports Torch.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from onnx import AttributeProto, helper

from polyjuice.ir import Attrs, Node

_ATEN = "aten"
_OTHERS = "torch.ops."

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

FILES = frozenset(("from_file", "save"))
"""The operators of ATen that open files: no model may call them."""


@dataclass(frozen=True, kw_only=True)
class AtenCall:
    """``torch.ops.NAMESPACE.NAME.OVERLOAD(*args, **kwargs)``; ``many`` means that it returns a tuple or a list.

    Arguments are None, numbers, strings, lists, and objects of one key: ``{"operand": number}``, ``{"float": text}``
    (not finite), and ``{"torch": name}`` (an element type, a memory format).
    """

    namespace: str
    name: str
    overload: str
    args: list[Any]
    kwargs: dict[str, Any]
    many: bool


def domain_of(namespace: str) -> str:
    """The domain of a node for calls in a namespace of ``torch.ops``."""
    return _ATEN if namespace == _ATEN else _OTHERS + namespace


def to_attrs(call: AtenCall) -> Attrs:
    """The attributes of the opaque node, as serialized AttributeProtos."""
    texts = {
        "overload": call.overload,
        "arguments": json.dumps({"args": call.args, "kwargs": call.kwargs}, allow_nan=False),
        "results": "many" if call.many else "one",
    }
    return {key: helper.make_attribute(key, text).SerializeToString(deterministic=True) for key, text in texts.items()}


def from_node(node: Node) -> AtenCall | None:
    """The call that an opaque node stands for; None where it stands for no ATen call."""
    if not node.opaque or not (node.domain == _ATEN or node.domain.startswith(_OTHERS)):
        return None
    try:
        texts = {key: AttributeProto.FromString(raw).s.decode() for key, raw in node.attrs.items()}
        arguments = json.loads(texts["arguments"])
        overload, args, kwargs, results = texts["overload"], arguments["args"], arguments["kwargs"], texts["results"]
    except (KeyError, TypeError, ValueError):
        return None
    namespace = node.domain.removeprefix(_OTHERS)
    if node.op in FILES or not all(_NAME.fullmatch(name) for name in (namespace, node.op, overload, *kwargs)):
        return None
    return AtenCall(
        namespace=namespace, name=node.op, overload=overload, args=args, kwargs=kwargs, many=results == "many"
    )
