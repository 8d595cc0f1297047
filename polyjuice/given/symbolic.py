"""Symbolic sizes of an ONNX model: which its inputs have, and the model with numbers in their place.

A symbol is the name of a dimension, and means the same size wherever it stands. An open dimension without a name is a
symbol of its own: ``x[0]`` is the first one of the input x. The compiler is given the model with its symbols. Only
what Polyjuice reads has numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from onnx import ModelProto, TensorShapeProto, ValueInfoProto

from polyjuice.formats import FormatError

Sizes = Mapping[str, int]

_LADDER = ((1,), (2,), (3,), (7, 8, 9), (15, 16, 17), (31, 33, 64, 100))
"""The sizes that a symbol takes, one of each class: around the width of a vector, too."""


def ladder(rng: random.Random) -> list[int]:
    """Sizes that differ much, from small to large."""
    return [rng.choice(sizes) for sizes in _LADDER]


def symbols(model: ModelProto) -> tuple[str, ...]:
    """The symbols of a model's inputs, in the order in which they come."""
    return tuple(dict.fromkeys(symbol for value in inputs(model) for _, _, symbol in _open(value)))


def batches(model: ModelProto) -> frozenset[str]:
    """The symbols that are the first size of an input, and nothing else."""
    places = [(symbol, axis) for value in inputs(model) for axis, _, symbol in _open(value)]
    return frozenset(s for s, axis in places if not axis) - {s for s, axis in places if axis}


def inputs(model: ModelProto) -> list[ValueInfoProto]:
    """The inputs that are no initializers, in order."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in constants]


def sizes_of(model: ModelProto, arrays: Sequence[np.ndarray], where: str = "model") -> dict[str, int]:
    """What the symbols of a model are where these are its inputs, as far as the ranks are right.

    Raises FormatError where one symbol would have two sizes; ``where`` begins the message.
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
    """Give symbols of a model numbers, wherever inputs, outputs and other values are declared."""
    for value in inputs(model):
        for _, dim, symbol in _open(value):
            if symbol in sizes:
                dim.dim_value = sizes[symbol]
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in sizes:
                dim.dim_value = sizes[dim.dim_param]


def bound(source: bytes, sizes: Sizes) -> ModelProto:
    """A serialized model with numbers for symbols."""
    model: ModelProto = ModelProto.FromString(source)
    bind(model, sizes)
    return model


def said(sizes: Sizes) -> tuple[str, ...]:
    """Sizes in words: ``batch = 3``."""
    return tuple(f"{symbol} = {size}" for symbol, size in sizes.items())


def fitted(arrays: Iterable[np.ndarray], shapes: Iterable[Sequence[int]]) -> tuple[np.ndarray, ...] | None:
    """Arrays cut, or repeated, to other shapes of the same ranks; None where one has nothing to be repeated."""
    found = []
    for array, shape in zip(arrays, shapes, strict=True):
        if any(size and not there for size, there in zip(shape, array.shape, strict=True)):
            return None
        for axis, size in enumerate(shape):
            if array.shape[axis] != size:
                array = np.take(array, np.arange(size) % max(array.shape[axis], 1), axis)
        found.append(array)
    return tuple(found)


def _open(value: ValueInfoProto) -> Iterator[tuple[int, TensorShapeProto.Dimension, str]]:
    """The axes of an input whose sizes the model leaves open, their dimensions, and their symbols."""
    for axis, dim in enumerate(value.type.tensor_type.shape.dim):
        if not dim.HasField("dim_value") or dim.dim_value < 0:
            yield axis, dim, dim.dim_param or f"{value.name}[{axis}]"
