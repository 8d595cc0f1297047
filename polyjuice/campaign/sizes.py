"""At which sizes a model with symbolic ones is tested: a few that differ much, at which it is valid.

Published faults of symbolic sizes need 1, an odd size, one at the width of a vector or beside it, or a large one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from polyjuice.formats import FormatError
from polyjuice.given import OnnxModel, UserModel, symbolic
from polyjuice.given.symbolic import Sizes
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph
from polyjuice.ops import TABLE

MOST = 6
"""At how many combinations of sizes a model is tested."""

_IMAGES = (32, 64, 224)
"""What else the sizes of a model may be, if no smaller ones suit: images have them."""

_ELEMENTS, _TIMES = 1 << 22, 4
"""A graph may have so many elements in all of its values, or so many times those of the smallest one.

What has more takes the interpreter long.
"""

_LARGE_BYTES, _LARGE_NODES, _FEW = 1 << 25, 2000, 4
"""A model from which on only a few combinations are tried: to read it takes seconds."""


class AtSizes:
    """A model at each of several combinations of sizes, each read when it is needed."""

    def __init__(self, sizes: Sequence[Sizes], read: Callable[[int], UserModel], keep: bool = True) -> None:
        """``read`` takes the number of a combination; without ``keep`` only the last program read is kept."""
        self.sizes = sizes
        self._read, self._keep = read, keep
        self._programs: dict[int, UserModel] = {}

    @classmethod
    def of_onnx(cls, model: OnnxModel, sizes: Sequence[Sizes]) -> AtSizes:
        return cls(sizes, lambda number: model.at(sizes[number]), not _is_large(model))

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: int) -> UserModel:
        """The program at a combination. Raises FormatError."""
        if number not in self._programs:
            if not self._keep:
                self._programs.clear()
            self._programs[number] = self._read(number)
        return self._programs[number]


def chosen(model: OnnxModel, key: str, most: int = MOST) -> list[Sizes]:
    """Combinations of sizes at which a model is valid, drawn by a key; its examples' own come first.

    A model without symbols has one, which is empty. Raises FormatError where the model is valid at none.
    """
    names = symbolic.symbols(model.model)
    if not names:
        model.at({})
        return [{}]
    tried = [*([model.own] if model.own else []), *_candidates(names, symbolic.batches(model.model), key)]
    found: list[_Read] = []
    problem: FormatError | None = None
    for sizes in tried[:_FEW] if _is_large(model) else tried:
        if sizes not in [one.sizes for one in found]:
            try:
                found.append(_Read.of(model.at(sizes)))
            except FormatError as error:
                problem = problem or FormatError(f"{error} (with {', '.join(symbolic.said(sizes))})")
    if not found:
        assert problem
        raise problem
    least = min(one.lacking for one in found)
    found = [one for one in found if one.lacking == least]
    allowed = max(_ELEMENTS, _TIMES * min(one.elements for one in found))
    fit = [one for one in found if one.elements <= allowed]
    valued: list[Sizes] = []
    for one in fit:
        if len(valued) < most and (one.elements > _ELEMENTS or _has_value(model.at(one.sizes), key)):
            valued.append(one.sizes)
    return valued or [one.sizes for one in fit[:most]]


class _Read(NamedTuple):
    """What reading a model at a combination of sizes showed.

    ``lacking`` counts the operators of the table in forms that it lacks: an operator whose operands do not fit, too.
    """

    sizes: Sizes
    lacking: int
    elements: int

    @classmethod
    def of(cls, program: UserModel) -> _Read:
        graph = program.graph
        lacking = sum(node.opaque and (node.domain, node.op) in TABLE for node in graph.nodes)
        values = {name for name in graph.types if name not in graph.constants}
        elements = sum(graph.types[name].size for name in values)
        return cls(program.sizes, lacking + len(TABLE) * program.unread, elements)


def _candidates(names: Sequence[str], batches: frozenset[str], key: str) -> Iterator[Sizes]:
    """Combinations of sizes: each symbol takes every class once; then all are alike, and then as those of images."""
    rng = random.Random(f"sizes {key}")
    ladder = symbolic.ladder(rng)
    drawn = [rng.sample(ladder, len(ladder)) for _ in names]
    yield from (dict(zip(names, sizes, strict=True)) for sizes in zip(*drawn, strict=True))
    if len(names) > 1:
        yield from (dict.fromkeys(names, size) for size in ladder)
    for size in _IMAGES:
        yield {name: rng.choice(ladder[:3]) if name in batches else size for name in names}


def _has_value(program: UserModel, key: str) -> bool:
    """Whether the interpreter finds a value; true of what it cannot tell."""
    graph = program.graph
    if any(node.opaque for node in graph.nodes):
        return True
    if program.examples is not None:
        with suppress(EvaluationError):
            evaluate(graph, program.examples)
            return True
    return any(_is_valued(graph, profile, key) for profile in ("normal", "exact"))


def _is_valued(graph: Graph, profile: str, key: str) -> bool:
    with suppress(EvaluationError):
        evaluate(graph, make_inputs(graph, profile, key))
        return True
    return False


def _is_large(model: OnnxModel) -> bool:
    return len(model.model.graph.node) > _LARGE_NODES or model.model.ByteSize() > _LARGE_BYTES
