"""Ways to overwrite a tensor in Torch: by an augmented assignment, or through views that together cover it."""

from __future__ import annotations

from collections.abc import Sequence

from polyjuice.frameworks.choosers import Draws
from polyjuice.ops import Call

AUGMENTED = {
    "{0}.add_({1})": "{0} += {1}",
    "{0}.sub_({1})": "{0} -= {1}",
    "{0}.mul_({1})": "{0} *= {1}",
    "{0}.pow_({1})": "{0} **= {1}",
    "{0}.remainder_({1})": "{0} %= {1}",
    "{0}.bitwise_and_({1})": "{0} &= {1}",
    "{0}.bitwise_or_({1})": "{0} |= {1}",
    "{0}.bitwise_xor_({1})": "{0} ^= {1}",
    "{0}.bitwise_left_shift_({1})": "{0} <<= {1}",
    "{0}.bitwise_right_shift_({1})": "{0} >>= {1}",
}
"""The assignments with the same effect as some templates."""

AUGMENTING = 0.2
"""How often such an assignment replaces the method."""

FORM = "in place through a view"

_CHANCE = 0.2

_SELECTED = 4
"""The most positions that are written one by one."""


def overwrite(template: str, call: Call, draws: Draws) -> str | None:
    """Sometimes overwrite a call's first operand by ``+=`` and the like, or through views. Return the form written."""
    assert call.do
    if template in AUGMENTED and draws.chance(AUGMENTING):
        assignment = AUGMENTED[template]
        call.do(assignment.format(*call.x))
        return assignment.split()[1]
    views = draw(call.types[0].shape, len(call.x) > 1, draws)
    for view in views:
        call.do(template.format(call.let(f"{call.x[0]}{view}"), *call.x[1:]))
    return FORM if views else None


def halves(size: int) -> list[str]:
    return [f"[:{size // 2}]", f"[{size // 2}:]"]


def selects(size: int) -> list[str]:
    """Return each position along the first axis; empty if there are many."""
    return [f".select(0, {place})" for place in range(size)] if size <= _SELECTED else []


def reversed_axes(rank: int) -> str:
    return f".permute({tuple(reversed(range(rank)))})"


def draw(shape: Sequence[int], operands: bool, draws: Draws) -> list[str]:
    """Return suffixes for a tensor whose views together cover it; sometimes none.

    With further ``operands``, the only view has the tensor's own shape.
    """
    if not draws.chance(_CHANCE):
        return []
    rank = len(shape)
    found = [["[...]"], [f".view({tuple(shape)})"], [".unsqueeze(0).squeeze(0)"]]
    if rank:
        found.append([f".narrow(0, 0, {shape[0]})"])
    if rank > 1:
        found.append([".transpose(0, 1).transpose(1, 0)"])
    return draws.choice(found if operands else [*found, *_of_other_shapes(shape)])


def _of_other_shapes(shape: Sequence[int]) -> list[list[str]]:
    rank, first = len(shape), shape[0] if shape else 0
    found = [[".unsqueeze(0)"]]
    if rank > 1:
        found += [[".transpose(0, 1)"], [reversed_axes(rank)]]
    if first > 1:
        found += [halves(first), ["[::2]", "[1::2]"]]
    if places := selects(first):
        found.append(places)
    return found
