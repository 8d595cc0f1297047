"""Opaque ATen nodes in Torch source: the call of the seed model, with its original arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polyjuice.frameworks import aten_calls
from polyjuice.ir import Node, dtypes
from polyjuice.ops import Unsupported

_TORCH_NAMES = {*dtypes.ALL, "contiguous_format", "preserve_format", "channels_last", "channels_last_3d"}


def spell(node: Node, operands: Sequence[str]) -> str | Unsupported:
    """Return ``torch.ops.aten.NAME.OVERLOAD(...)``, or Unsupported if the node is no readable ATen call."""
    call = aten_calls.from_node(node)
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
            return f"float({str(float(text))!r})"
        case {"torch": str(name)} if name in _TORCH_NAMES:
            return f"torch.{name}"
    raise ValueError(f"{value!r} is no argument")
