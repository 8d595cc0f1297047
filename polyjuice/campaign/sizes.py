"""Choose the sizes at which to test a model with symbolic sizes: a few that differ much, and at which it is valid.

Published faults of symbolic sizes need the size 1, an odd size, one at or beside the width of a vector, or a large one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from polyjuice.frameworks import symbolic
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx.user_program import OnnxModel, load_onnx
from polyjuice.frameworks.symbolic import Sizes
from polyjuice.frameworks.user_model import UserModel
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph
from polyjuice.ops import TABLE

MOST = 6
"""The most combinations of sizes at which a model is tested."""

_IMAGES = (32, 64, 224)
"""Further sizes to try: those of images, for models that are not valid at smaller ones."""

_ELEMENTS, _TIMES = 1 << 22, 4
"""The most elements of all values of a graph, or this many times those of the smallest combination, if that is more.

The interpreter takes long for larger graphs.
"""

_LARGE_BYTES, _LARGE_NODES, _FEW = 1 << 25, 2000, 4
"""Beyond this many bytes or nodes, only this few combinations are tried: each takes seconds to read."""


def reader(model: OnnxModel, sizes: Sequence[Sizes]) -> Callable[[int], UserModel]:
    """Return a function that reads a model at one of these sizes, by number, and keeps what it has read.

    Of a large model it only keeps the last program. It raises FormatError.
    """
    return lru_cache(1 if _is_large(model) else None)(lambda number: model.at(sizes[number]))


def chosen(model: OnnxModel, key: str, most: int = MOST) -> list[Sizes]:
    """Return combinations of sizes at which a model is valid, drawn by a key. The sizes of its examples come first.

    A model without symbols has one empty combination. Raises FormatError if the model is valid at none.
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
                problem = problem or FormatError(f"{error} (with {', '.join(symbolic.described(sizes))})")
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


def chosen_of(path: Path, key: str) -> list[Sizes]:
    """Return what :func:`chosen` does for the ONNX model in a file.

    It is here because a process with a time limit imports this module to call it, and imports little else.
    """
    return chosen(load_onnx(path), key)


class _Read(NamedTuple):
    """The facts that reading a model at a combination of sizes shows.

    ``lacking`` counts the nodes with an operator of the table that could not be read, such as one whose operands do not
    fit. ``elements`` counts the elements of all values.
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
    """Yield combinations of sizes: each symbol has every size class once, then all are equal, then sizes of images."""
    rng = random.Random(f"sizes {key}")
    ladder = symbolic.ladder(rng)
    drawn = [rng.sample(ladder, len(ladder)) for _ in names]
    yield from (dict(zip(names, sizes, strict=True)) for sizes in zip(*drawn, strict=True))
    if len(names) > 1:
        yield from (dict.fromkeys(names, size) for size in ladder)
    for size in _IMAGES:
        yield {name: rng.choice(ladder[:3]) if name in batches else size for name in names}


def _has_value(program: UserModel, key: str) -> bool:
    """Whether the interpreter finds a value for the program; true if it cannot evaluate it."""
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
