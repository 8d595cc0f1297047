"""Unchanged Torch modules and exported programs, at several sizes of dynamic dimensions. This file needs Torch.

A symbol of a size is named after the first input that has it: ``x[0]`` is the size of the first axis of x.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, TensorArgument
from torch.utils import _pytree

from polyjuice.compilers import _torch
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks import symbolic
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.symbolic import Sizes
from polyjuice.frameworks.torch import export as torch_export
from polyjuice.frameworks.torch.user_printer import (
    array_of,
    capture,
    copies,
    layout_of,
    model_of,
    run,
    tensor_of,
    tensors,
)
from polyjuice.frameworks.user_model import NotCaptured, UserModel, unread
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, dtypes, prune
from polyjuice.ops import primitives

_NEAR = 0.1
"""The distance of two equal values, at most: a part of the greatest value."""

_FAR = 0.2
"""The part of the elements that may be farther apart: those that depend on a decision, such as a comparison."""


def load(source: str) -> UserModel:
    """Return the program of a ``.pt2`` file, at the sizes of its example inputs. Raises FormatError."""
    return of_program(torch_export.load(source), source)


def from_module(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, where: str = "model"
) -> UserModel:
    """Return the program of a module, for inputs of these types; ``where`` begins messages. Raises FormatError."""
    try:
        graph = torch_export.from_module(model, args, kwargs, where)
    except FormatError as error:
        if program := _unread(model, args, kwargs or {}):
            return program
        raise error from None
    return _program(graph, model, args, kwargs or {})


def graph_of(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Graph:
    """Return the meaning of source like that of :func:`capture`, for inputs of these types. Raises FormatError.

    The source has no further arguments. The graph is unread if ``torch.export`` fails, or its graph has other inputs or
    outputs than the source.
    """
    arguments = tuple(map(tensor_of, inputs))
    try:
        results = run(artifact, [tensor.clone() for tensor in arguments])
        types = [_type(tensor) for tensor in arguments], [_type(tensor) for tensor in results]
        opaque = unread(*types)
    except Exception as error:  # noqa: BLE001 - the owner's program may raise anything
        raise FormatError(f"the program does not run uncompiled ({type(error).__name__}: {error})") from None
    try:
        graph = _with_updates(torch_export.from_module(model_of(artifact), arguments), artifact)
    except FormatError:
        return opaque
    fits = (list(graph.input_types), list(graph.output_types)) == types
    return graph if fits and _agrees(graph, arguments, lambda: run(artifact, copies(arguments))) else opaque


def _with_updates(graph: Graph, artifact: Artifact) -> Graph:
    """Return the graph with the final contents of inputs as outputs, for all inputs that the artifact returns so."""
    names = [graph.inputs[number] for _, number in artifact.setup.get("updates", ())]
    ends = [graph.outputs[graph.updates[name]] if name in graph.updates else name for name in names]
    updates = {name: len(graph.returned) + i for i, name in enumerate(names) if name in graph.updates}
    return prune(replace(graph, outputs=(*graph.returned, *ends), updates=updates))


def values(
    artifact: Artifact, inputs: Sequence[tuple[np.ndarray, str]], watcher: str
) -> list[dict[str, tuple[np.ndarray, str]]]:
    """Run a program that calls ``watcher(reads, locals())``; return the tensors that are new or written at each call.

    Each array comes with its layout in memory. A tensor's version counter says that it was written; since some kernels
    do not count, the tensors named in ``reads`` are also compared. Raises any error of the program.
    """
    found: list[dict[str, tuple[np.ndarray, str]]] = []
    last: dict[str, tuple[torch.Tensor, int, bytes]] = {}

    def watch(reads: Sequence[str], variables: Mapping[str, Any]) -> None:
        found.append({})
        for name, value in variables.items():
            if not isinstance(value, torch.Tensor) or str(value.dtype).removeprefix("torch.") not in dtypes.ALL:
                continue
            before = last.get(name)
            same = before is not None and before[0] is value and before[1] == value._version
            if same and name not in reads:
                continue
            tensor = value.detach().clone()
            array = array_of(tensor)
            if not same or (before and before[2] != array.tobytes()):
                found[-1][name] = array, layout_of(tensor)
                last[name] = value, value._version, array.tobytes()

    model = model_of(artifact, {watcher: watch})
    with torch.no_grad():
        model(*(_torch.lay_out(tensor_of(array), layout) for array, layout in inputs))
    return found


def _unread(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> UserModel | None:
    """Return a module without a graph, as it is; None if the IR lacks the types of its inputs or outputs."""
    inputs = tensors((args, dict(kwargs)))
    try:
        artifact = capture(model, args, kwargs)
        examples = tuple(map(array_of, inputs))
        results = run(artifact, [tensor.detach().clone() for tensor in inputs])
        made = [TensorType(dtypes.dtype_of(array), array.shape) for array in map(array_of, results)]
    except (NotCaptured, TypeError):
        return None
    return UserModel(graph=unread(list(map(_type, inputs)), made), artifact=artifact, examples=examples)


def of_program(
    program: ExportedProgram,
    where: str,
    inputs: torch_export.Inputs | None = None,
    dynamic: Sequence[tuple[int, int]] = (),
) -> UserModel:
    """Return an exported program, for inputs of these types, or for its example inputs.

    ``dynamic`` are the axes whose sizes it leaves open (see :func:`capture`). Raises FormatError.
    """
    graph = torch_export.from_program(program, where, inputs)
    arrays = inputs or program.example_inputs
    if arrays is None:
        return UserModel(graph=graph)
    args, kwargs = arrays
    return _program(graph, program.module(), args, kwargs, dynamic)


def _program(
    graph: Graph,
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    dynamic: Sequence[tuple[int, int]] = (),
) -> UserModel:
    inputs = tensors((args, dict(kwargs)))
    if [_type(t) for t in inputs] != list(graph.input_types):
        return UserModel(graph=graph)
    examples = tuple(map(array_of, inputs))
    if not _agrees(replace(graph, outputs=graph.returned, updates={}), inputs, lambda: _run(model, args, kwargs)) and (
        program := _unread(model, args, kwargs)
    ):
        return program
    artifact = _artifact(graph, model, args, kwargs, dynamic)
    if dynamic:
        artifact = artifact or _artifact(graph, model, args, kwargs)
        artifact = artifact and replace(artifact, setup={**artifact.setup, "dynamic": True})
    return UserModel(graph=graph, artifact=artifact, examples=examples)


def _artifact(
    graph: Graph,
    model: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    dynamic: Sequence[tuple[int, int]] = (),
) -> Artifact | None:
    """Return the module itself; None if it cannot be printed, or has other outputs or updates than the graph."""
    try:
        artifact = capture(model, args, kwargs, dynamic)
    except NotCaptured:
        return None
    inputs = tensors((args, dict(kwargs)))
    results = run(artifact, [tensor.detach().clone() for tensor in inputs])
    updates = [[place, graph.inputs.index(name)] for name, place in graph.updates.items()]
    written = [update for update in artifact.setup.get("updates", ()) if update[1] < len(inputs)]
    fits = [_type(t) for t in results] == list(graph.output_types) and written == updates
    return artifact if fits else None


def _run(model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[torch.Tensor]:
    with torch.no_grad():  # a run may change the model's tensors
        return tensors(copy.deepcopy(model)(*copies(args), **copies(kwargs)))


def _agrees(graph: Graph, inputs: Sequence[torch.Tensor], uncompiled: Callable[[], Sequence[torch.Tensor]]) -> bool:
    """Return whether the graph's values are near those of the uncompiled run; True if it has no values or random ones.

    Torch's decompositions may lay a tensor out otherwise than the uncompiled run. Then ``as_strided`` of it means
    something else in the graph. So no element may differ in a graph with ``as_strided``.
    """
    far = 0 if any(node.op == primitives.AS_STRIDED for node in graph.nodes) else _FAR
    try:
        if any(node.opaque for node in graph.nodes):  # Torch has their values, and the interpreter stands in for them
            found = [array_of(tensor) for tensor in run(lower(graph, "torch", LoweringChoices()), copies(list(inputs)))]
        else:
            found = list(evaluate(graph, [array_of(tensor) for tensor in inputs]))
    except (EvaluationError, Unlowerable):
        return True
    first, second = ([array_of(tensor) for tensor in uncompiled()] for _ in range(2))
    near = partial(_near, far=far)
    return all(map(near, found, first)) or not all(map(near, first, second))


def _near(found: np.ndarray, wanted: np.ndarray, far: float) -> bool:
    """Return whether all but a part ``far`` of the elements are the same but for rounding."""
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    a, b = found.astype(wide), wanted.astype(wide)
    finite = np.isfinite(a) & np.isfinite(b)
    off = np.abs(a - b)[finite] > _NEAR * np.abs(b[finite]).max(initial=1e-30)
    return bool(off.mean() <= far) if off.size else True


def _type(tensor: torch.Tensor) -> TensorType:
    return TensorType(str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape))


# --- other sizes ------------------------------------------------------------------------------------------------------

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
        return [of_program(program, source)]
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
    made = of_program(program, source, inputs, [(axis.number, axis.axis) for axis in axes])
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
