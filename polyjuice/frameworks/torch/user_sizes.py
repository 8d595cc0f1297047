"""Exported Torch programs with dynamic dimensions, at several sizes. This file needs Torch.

A symbol is named after the first input that has it: ``x[0]`` is the size of the first axis of x.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, TensorArgument
from torch.utils import _pytree

from polyjuice.frameworks import symbolic
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.symbolic import Sizes
from polyjuice.frameworks.torch import export as torch_export
from polyjuice.frameworks.torch import user_program as torch_program
from polyjuice.frameworks.torch.user_printer import tensors
from polyjuice.frameworks.user_model import UserModel

_MOST = 3
"""The most other sizes of a program. Each is traced and stored separately."""

_SECONDS = 30
"""After this time in seconds no other size is started, because ``--timeout`` also limits reading a large program."""


class _Axis(NamedTuple):
    """An axis of an input with an open size. ``expression`` is that size in symbols."""

    number: int
    axis: int
    name: str
    expression: Any


def at_sizes(source: str, key: str) -> list[UserModel]:
    """Return the program of a ``.pt2`` file at the sizes of its example inputs, and at others within their ranges.

    ``key`` determines these. Sizes at which Torch cannot trace the program are left out. Raises FormatError.
    """
    program = torch_export.load(source)
    axes = _axes(program)
    began = time.monotonic()
    own = _own(program, axes) if program.example_inputs else None
    if not axes or own is None:
        return [torch_program.of_program(program, source)]
    found = [_at(program, source, axes, own)]
    for sizes in _others(program, axes, own, key):
        if len(found) <= _MOST and time.monotonic() - began < _SECONDS:
            with suppress(FormatError):
                found.append(_at(program, source, axes, sizes))
    return found


def _at(program: ExportedProgram, source: str, axes: Sequence[_Axis], sizes: Sizes) -> UserModel:
    """Return the program with its example inputs cut or repeated. Raises FormatError."""
    values, structure = _pytree.tree_flatten(program.example_inputs)
    places = [n for n, value in enumerate(values) if isinstance(value, torch.Tensor)]
    for axis, size in zip(axes, _sizes_of(axes, sizes), strict=True):
        place = places[axis.number]
        if values[place].shape[axis.axis] != size:
            there = max(values[place].shape[axis.axis], 1)
            values[place] = values[place].index_select(axis.axis, torch.arange(size) % there)
    inputs = _pytree.tree_unflatten(values, structure)
    made = torch_program.of_program(program, source, inputs, [(axis.number, axis.axis) for axis in axes])
    artifact = made.artifact
    if artifact:
        artifact = replace(artifact, idioms=(*artifact.idioms, *symbolic.described(sizes)))
    return replace(made, artifact=artifact, sizes=dict(sizes))


def _axes(program: ExportedProgram) -> list[_Axis]:
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    taken = [
        node
        for node in program.graph.nodes
        if node.op == "placeholder"
        and specs[node.name].kind == InputKind.USER_INPUT
        and isinstance(specs[node.name].arg, TensorArgument)
    ]
    return [
        _Axis(number, axis, f"{node.name}[{axis}]", size.node.expr)
        for number, node in enumerate(taken)
        for axis, size in enumerate(node.meta["val"].shape)
        if not isinstance(size, int)
    ]


def _names(axes: Sequence[_Axis]) -> dict[Any, str]:
    alone = {axis.expression: axis.name for axis in reversed(axes)}
    symbols = sorted({symbol for axis in axes for symbol in axis.expression.free_symbols}, key=str)
    return {symbol: alone.get(symbol, str(symbol)) for symbol in symbols}


def _sizes_of(axes: Sequence[_Axis], sizes: Sizes) -> list[int]:
    names = _names(axes)
    values = {symbol: sizes[name] for symbol, name in names.items()}
    return [int(axis.expression.subs(values)) for axis in axes]


def _own(program: ExportedProgram, axes: Sequence[_Axis]) -> dict[str, int] | None:
    inputs = tensors(program.example_inputs)
    found: dict[str, int] = {}
    for symbol, name in _names(axes).items():
        axis = next((axis for axis in axes if axis.expression.free_symbols == {symbol}), None)
        if axis is None:
            return None
        size = inputs[axis.number].shape[axis.axis]
        fit = (number for number in range(size + 1) if axis.expression.subs({symbol: number}) == size)
        found[name] = next(fit, size)
    return found if _sizes_of(axes, found) == [inputs[a.number].shape[a.axis] for a in axes] else None


def _others(program: ExportedProgram, axes: Sequence[_Axis], own: Sizes, key: str) -> Iterator[dict[str, int]]:
    rng = random.Random(f"sizes {key}")
    drawn = {}
    for symbol, name in _names(axes).items():
        bounds = program.range_constraints.get(symbol)
        others = [size for size in symbolic.ladder(rng) if size != own[name]]
        fit = [size for size in others if bounds is None or bounds.lower <= size <= bounds.upper]
        drawn[name] = rng.sample(fit, len(fit)) or [own[name]]
    for number in range(max(map(len, drawn.values()))):
        sizes = {name: values[number % len(values)] for name, values in drawn.items()}
        if sizes != own:
            yield sizes
