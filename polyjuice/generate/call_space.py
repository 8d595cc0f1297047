"""Estimate how many different calls each operator allows, as GenCoG does (GenCoG, section 5.1).

The operator table has no list of an attribute's values, so the values come from the entry's own ``sample``.
"""

from __future__ import annotations

import functools
import json
import math
import os
import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyjuice import cache
from polyjuice.generate.instances import drawn
from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import TABLE, Op
from polyjuice.ops.sampling import MAX_RANK

_SIZES = range(1, 5)
"""The sizes of a dimension in GenCoG. Their number is the base of the estimate."""

_NUMBERS = range(5)
"""The integers that count as values of an integer attribute."""

_DRAWS = 24
"""How many samples are drawn for each rank to see the values of the attributes."""

OPS = {op.qualified: op for op in TABLE.values()}
"""The entries of the table by their qualified names."""


Vertex = tuple[tuple[tuple[int, ...], ...], tuple[tuple[str, str], ...]]
"""The data that distinguish two calls of an operator: the shapes of the inputs, and the attributes as texts."""


@dataclass(frozen=True)
class CallSpace:
    """The different calls that one operator allows.

    ``size`` is N_est. ``data_inputs`` is how many inputs are not parameters (None: all of them). ``attrs`` names the
    attributes that can have more than one value.
    """

    size: int
    data_inputs: int | None
    attrs: frozenset[str]

    def vertex(self, types: Sequence[TensorType], attributes: Iterable[tuple[str, str]]) -> Vertex:
        """Return the vertex of a call with inputs of these types and these attributes, as texts."""
        shapes = tuple(t.shape for t in types[: self.data_inputs])
        return shapes, tuple(pair for pair in attributes if pair[0] in self.attrs)


def call_space(name: str) -> CallSpace:
    """Return the call space of an operator, by its qualified name.

    For an operator that the table lacks, R is the largest generated rank, A is 1, and inputs do not count (see
    :func:`_counted`).
    """
    return _table().get(name) or CallSpace(len(_SIZES) ** MAX_RANK, None, frozenset())


@functools.cache
def _table() -> Mapping[str, CallSpace]:
    """Return the call space of all operators. Each state of the table is counted once, and kept in the user's cache."""
    made_of = [Path(__file__), *cache.PACKAGE.glob("ops/*.py"), *cache.PACKAGE.glob("ir/*.py")]
    path = cache.folder() / f"call-space-{cache.digest(made_of)}.json"
    with suppress(OSError, ValueError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {name: CallSpace(size, inputs, frozenset(attrs)) for name, (size, inputs, attrs) in kept.items()}
    counted = {name: _counted(op) for name, op in OPS.items()}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        staged = path.with_suffix(f".{os.getpid()}")
        staged.write_text(json.dumps({n: (s.size, s.data_inputs, sorted(s.attrs)) for n, s in counted.items()}))
        staged.replace(path)
    return counted


def _counted(op: Op) -> CallSpace:
    """Return N_est of an operator, and the inputs and attributes by which GenCoG distinguishes its calls.

    N_est = 4^R x (2 if variadic or with more than one data input) x (floor(log2 A) + 1). R is the largest rank of a
    first input, and A is the product of the numbers of values of each attribute.
    """
    ranks, attrs = zip(*_draws(op), strict=True)
    choices = {attr.name: _choices(attr.kind, [drawn[attr.name] for drawn in attrs]) for attr in op.attrs}
    inputs = op.arity[1] if op.data_inputs is None else op.data_inputs
    size = len(_SIZES) ** max(ranks) * (1 if inputs == 1 else 2)
    size *= int(math.log2(math.prod(choices.values()))) + 1
    return CallSpace(size, op.data_inputs, frozenset(a for a, count in choices.items() if count > 1))


def _draws(op: Op) -> Iterator[tuple[int, Attrs]]:
    rng = random.Random(op.qualified)
    for rank in range(MAX_RANK + 1):
        for _ in range(_DRAWS):
            first = TensorType(rng.choice(op.types[op.variable(0)]), tuple(rng.choices(_SIZES, k=rank)))
            if use := drawn(op, rng, first):
                yield rank, use.attrs


def _choices(kind: str, drawn: Collection[Any]) -> int:
    """Return how many values an attribute can take, judged by drawn ones: at least 1.

    Only the integers 0 to 4 count. Texts, types and floats all count, because they are drawn from lists. A list counts
    as the values of its elements to the power of its greatest length. A graph counts as one.
    """
    if kind == "graph":
        return 1
    if kind == "ints":
        elements = {element for values in drawn for element in values if element in _NUMBERS}
        return int(max(1, len(elements)) ** max(map(len, drawn)))
    if kind == "int":
        return max(1, len({value for value in drawn if value in _NUMBERS}))
    return len(set(drawn))
