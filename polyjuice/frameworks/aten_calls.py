"""ATen calls as opaque nodes: an operator that the table lacks keeps its name, overload and arguments.

A call becomes a node of the domain ``aten`` (for other libraries, ``torch.ops.NAMESPACE``). It has three attributes
that any viewer of ONNX files can show: ``overload``, ``arguments`` (JSON, in which ``{"operand": 0}`` stands for the
node's first input) and ``results`` (``one`` tensor, or ``many``). Nothing here imports Torch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onnx import AttributeProto, helper

from polyjuice.ir import Attrs, Node, dtypes
from polyjuice.ops import Unsupported
from polyjuice.ops.text import written

_ATEN = "aten"
_OTHERS = "torch.ops."

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

FILES = frozenset(("from_file", "save"))
"""The operators of ATen that open files: no model may call them."""


@dataclass(frozen=True, kw_only=True)
class OpaqueCall:
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


def to_attrs(call: OpaqueCall) -> Attrs:
    """The attributes of the opaque node, as serialized AttributeProtos."""
    texts = {
        "overload": call.overload,
        "arguments": json.dumps({"args": call.args, "kwargs": call.kwargs}, allow_nan=False),
        "results": "many" if call.many else "one",
    }
    return {key: helper.make_attribute(key, text).SerializeToString(deterministic=True) for key, text in texts.items()}


def from_node(node: Node) -> OpaqueCall | None:
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
    return OpaqueCall(
        namespace=namespace, name=node.op, overload=overload, args=args, kwargs=kwargs, many=results == "many"
    )


_TORCH_NAMES = {*dtypes.ALL, "contiguous_format", "preserve_format", "channels_last", "channels_last_3d"}


def spell(node: Node, operands: Sequence[str]) -> str | Unsupported:
    """Return ``torch.ops.aten.NAME.OVERLOAD(...)``, or Unsupported if the node is no readable ATen call."""
    call = from_node(node)
    if call is None or call.namespace != "aten":
        return Unsupported("it is opaque")
    try:
        arguments = [_text(value, operands) for value in call.args]
        arguments += [f"{name}={_text(value, operands)}" for name, value in call.kwargs.items()]
    except (LookupError, TypeError, ValueError) as error:
        return Unsupported(f"its arguments cannot be read ({error})")
    text = f"torch.ops.aten.{call.name}.{call.overload}({', '.join(arguments)})"
    return f"{text}[0]" if call.many and len(node.outputs) == 1 else text


def _text(value: Any, operands: Sequence[str]) -> str:
    match value:
        case None | bool() | int() | float() | str():
            return repr(value)
        case list():
            return f"[{', '.join(_text(item, operands) for item in value)}]"
        case {"operand": int(number)}:
            return operands[number]
        case {"float": str(text)}:
            return repr(written(float(text)))
        case {"torch": str(name)} if name in _TORCH_NAMES:
            return f"torch.{name}"
    raise ValueError(f"{value!r} is no argument")
