"""Symbolic sizes of an ONNX model: the symbols of its inputs, and the model with numbers instead.

A symbol is the name of a dimension, and means the same size everywhere. An open dimension without a name is a symbol of
its own: ``x[0]`` is the first dimension of the input x. The compiler gets the model with its symbols. Only the copy
that Polyjuice reads has numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from onnx import ModelProto, TensorShapeProto, ValueInfoProto

from polyjuice.frameworks.errors import FormatError

Sizes = Mapping[str, int]

_LADDER = ((1,), (2,), (3,), (7, 8, 9), (15, 16, 17), (31, 33, 64, 100))
"""The classes of sizes that a symbol takes, some near the width of a vector."""


def ladder(rng: random.Random) -> list[int]:
    """Return one size of each class, from small to large."""
    return [rng.choice(sizes) for sizes in _LADDER]


def symbols(model: ModelProto) -> tuple[str, ...]:
    """Return the symbols of a model's inputs, in order."""
    return tuple(dict.fromkeys(symbol for value in inputs(model) for _, _, symbol in _open(value)))


def batches(model: ModelProto) -> frozenset[str]:
    """Return the symbols that are only ever the first size of an input."""
    places = [(symbol, axis) for value in inputs(model) for axis, _, symbol in _open(value)]
    return frozenset(s for s, axis in places if not axis) - {s for s, axis in places if axis}


def inputs(model: ModelProto) -> list[ValueInfoProto]:
    """Return the inputs that are not initializers, in order."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in constants]


def sizes_of(model: ModelProto, arrays: Sequence[np.ndarray], where: str = "model") -> dict[str, int]:
    """Return the sizes of a model's symbols for these inputs, as far as the ranks match.

    Raises FormatError if one symbol would have two sizes; ``where`` is the prefix of the message.
    """
    found: dict[str, int] = {}
    places: dict[str, str] = {}
    for value, array in zip(inputs(model), arrays, strict=True):
        if len(value.type.tensor_type.shape.dim) != array.ndim:
            continue
        for axis, _, symbol in _open(value):
            size, place = array.shape[axis], f"axis {axis} of {value.name}"
            if found.setdefault(symbol, size) != size:
                raise FormatError(f"{where}: {symbol} is {found[symbol]} in {places[symbol]}, and {size} in {place}")
            places.setdefault(symbol, place)
    return found


def bind(model: ModelProto, sizes: Sizes) -> None:
    """Replace symbols of a model by numbers, in all declarations of inputs, outputs and other values."""
    for value in inputs(model):
        for _, dim, symbol in _open(value):
            if symbol in sizes:
                dim.dim_value = sizes[symbol]
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]


def bound(source: bytes, sizes: Sizes) -> ModelProto:
    model: ModelProto = ModelProto.FromString(source)
    bind(model, sizes)
    return model


def described(sizes: Sizes) -> tuple[str, ...]:
    """Return sizes as texts: ``batch = 3``."""
    return tuple(f"{symbol} = {size}" for symbol, size in sizes.items())


def fitted(arrays: Iterable[np.ndarray], shapes: Iterable[Sequence[int]]) -> tuple[np.ndarray, ...] | None:
    """Return arrays cut or repeated to other shapes; None if an array has nothing to repeat, or another rank."""
    found = []
    for array, shape in zip(arrays, shapes, strict=True):
        if array.ndim != len(shape) or any(size and not there for size, there in zip(shape, array.shape, strict=True)):
            return None
        for axis, size in enumerate(shape):
            if array.shape[axis] != size:
                array = np.take(array, np.arange(size) % max(array.shape[axis], 1), axis)
        found.append(array)
    return tuple(found)


def _open(value: ValueInfoProto) -> Iterator[tuple[int, TensorShapeProto.Dimension, str]]:
    for axis, dim in enumerate(value.type.tensor_type.shape.dim):
        if not dim.HasField("dim_value") or dim.dim_value < 0:
            yield axis, dim, dim.dim_param or f"{value.name}[{axis}]"
