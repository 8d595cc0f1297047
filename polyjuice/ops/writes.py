"""Torch text that makes a tensor and writes into it, for operators that join, pad or replace elements."""

from __future__ import annotations

from collections.abc import Sequence

from polyjuice.ir.dtypes import framework_name
from polyjuice.ops.spec import Call

_CHANCE = 0.3
"""How often the text of such an operator is made of writes."""


def wanted(c: Call) -> bool:
    """Whether the seed chooses writes, and statements are possible."""
    return c.do is not None and c.draws.chance(_CHANCE)


def written(c: Call, new: str, writes: Sequence[tuple[str, str]]) -> str:
    """Return the text of a new tensor after writes of values into parts of it, as assignments or by ``copy_``."""
    assert c.do is not None
    name = c.let(new)
    for part, value in writes:
        c.do(f"{name}{part} = {value}" if c.draws.chance(0.5) else f"{name}{part}.copy_({value})")
    return name


def empty(c: Call) -> str:
    """A tensor of the result's type without values."""
    shape, dtype = c.results[0].shape, c.results[0].dtype
    forms = [
        f"torch.empty({shape}, dtype=torch.{framework_name(dtype)}, device={c.x[0]}.device)",
        f"{c.x[0]}.new_empty({shape})",
    ]
    if c.types[0].shape == shape:
        forms.append(f"torch.empty_like({c.x[0]})")
    return c.draws.choice(forms if c.types[0].dtype == dtype else forms[:1])
