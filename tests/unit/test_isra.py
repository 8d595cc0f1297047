"""Isra's claims (Isra, section III-D): no instantiation is rejected, and all instantiations can occur."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any

import pytest

from polyjuice.generate import generate
from polyjuice.generate.growth import Growth
from polyjuice.generate.published import isra
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import TABLE, Op, Sample, complete_attrs, infer
from polyjuice.ops.sampling import MAX_RANK, size

DRAWS = 400
"""Samples of each operator. A value with a probability of 2 % is missing for one operator in 3,000."""

OPERATORS = [pytest.param(op, id=op.qualified) for op in TABLE.values()]

AXES = {"axis", "dim"}
FLAGS = {
    "keepdims", "keepdim", "exclusive", "reverse", "largest", "sorted", "descending", "stable", "transA", "transB",
    "align_corners", "count_include_pad", "select_last_index", "is_causal", "detect_negative", "detect_positive",
    "fmod", "upper",
}  # fmt: skip

CHOICES = {
    "approximate": {"none", "tanh"},
    "direction": {"LEFT", "RIGHT"},
    "padding_mode": {"zeros", "border"},
    "reduction": {"none", "add", "mul", "max", "min"},
    "Pad mode": {"constant", "edge", "reflect", "wrap"},
    "DepthToSpace mode": {"DCR", "CRD"},
    "Resize mode": {"nearest", "linear", "cubic"},
    "GridSample mode": {"nearest", "bilinear", "bicubic"},
    "coordinate_transformation_mode": {"half_pixel", "align_corners", "asymmetric"},
    "nearest_mode": {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
    "Cast to": set(dtypes.ALL),
}
"""The values of an attribute that has few, for all operators or for the one that is named."""


def samples(op: Op) -> Iterator[tuple[TensorType, Sample]]:
    """Random ways to apply an operator to first operands of all types and ranks."""
    rng = random.Random(op.qualified)
    for number in range(DRAWS):
        rank = number % (MAX_RANK + 1)
        first = TensorType(rng.choice(op.types[op.variable(0)]), tuple(size(rng) for _ in range(rank)))
        if sample := op.sample(rng, first):
            yield first, sample


@cache
def attributes(operator: tuple[str, str]) -> dict[str, set[Any]]:
    """The values that were drawn for each attribute, and for an axis, with the operand's rank."""
    seen: dict[str, set[Any]] = defaultdict(set)
    op = TABLE[operator]
    for first, sample in samples(op):
        for attr in op.attrs:
            value = complete_attrs(op, sample.attrs)[attr.name]
            if attr.kind in ("int", "string", "dtype"):
                seen[attr.name].add((first.rank, value) if attr.name in AXES else value)
    return seen


@pytest.mark.parametrize("op", OPERATORS)
def test_no_instantiation_is_ever_rejected(op: Op) -> None:
    taken = 0
    for first, sample in samples(op):
        assert infer(op, [first, *(o.type for o in sample.operands)], complete_attrs(op, sample.attrs))
        taken += 1
    assert taken


@pytest.mark.parametrize("op", [p for p in OPERATORS if AXES & {a.name for a in p.values[0].attrs if a.kind == "int"}])
def test_every_axis_can_come_about(op: Op) -> None:
    drawn = attributes((op.domain, op.name))
    for name in AXES & set(drawn):
        for rank in {rank for rank, _ in drawn[name] if 2 <= rank <= 4}:
            assert {axis for r, axis in drawn[name] if r == rank} >= set(range(1, rank)), rank


@pytest.mark.parametrize("op", [p for p in OPERATORS if any(a.name in FLAGS for a in p.values[0].attrs)])
def test_every_flag_can_be_on_and_off(op: Op) -> None:
    drawn = attributes((op.domain, op.name))
    for name in FLAGS & set(drawn):
        assert set(map(int, drawn[name])) == {0, 1}, name


def choosing(op: Op) -> bool:
    """Whether the operator has an attribute with a choice of words, and no number that Torch promotes."""
    return any(a.kind == "string" for a in op.attrs) and not op.promotes


@pytest.mark.parametrize("op", [p for p in OPERATORS if choosing(p.values[0])])
def test_every_choice_can_be_made(op: Op) -> None:
    drawn = attributes((op.domain, op.name))
    for attr in op.attrs:
        if attr.kind == "string" and attr.name != "equation":
            assert drawn[attr.name] == CHOICES.get(f"{op.name} {attr.name}", CHOICES.get(attr.name)), attr.name


def operands(graph: Graph) -> list[str]:
    return list(chain(*(node.inputs for node in graph.nodes)))


def test_operands_are_picked_at_the_picking_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a rate of 0, every operand is a placeholder, and no operator reads another. At 1, few are."""
    shares = []
    for rate in (0.0, isra.PICKING_RATE, 1.0):
        monkeypatch.setattr(isra, "PICKING_RATE", rate)
        read = [(name, graph) for seed in range(20) for graph in [generate(40, seed, strategy="isra")]
                for name in operands(graph)]  # fmt: skip
        shares.append(sum(name in graph.inputs or name in graph.constants for name, graph in read) / len(read))
    assert shares[0] == 1
    assert shares[2] < shares[1] < 0.5


def test_an_operand_may_be_any_that_the_shape_rule_takes() -> None:
    """Such an operand need not have the type that was drawn: concatenated parts have several lengths."""
    parts = set()
    for seed in range(100):
        growth = isra.Isra(random.Random(seed), None)
        long, short = growth.input(TensorType("float32", (5, 3))), growth.input(TensorType("float32", (2, 3)))
        growth.extend(TABLE["", "Concat"])
        parts.update(node.inputs for node in growth.build().nodes)
    assert {(long, short), (short, long)} <= parts


def test_no_operator_is_tried_in_vain_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generation is backtrack-free: nearly all draws are used."""
    drawn = []
    draw = Growth.draw

    def counted(self: Growth, op: Op, first: TensorType) -> object:
        drawn.append(draw(self, op, first))
        return drawn[-1]

    monkeypatch.setattr(Growth, "draw", counted)
    used = sum(len(generate(20, seed, strategy="isra")) for seed in range(20))
    assert sum(application is not None for application in drawn) == used
