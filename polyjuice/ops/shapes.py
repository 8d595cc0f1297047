"""The vocabulary for an operator's shape signature, and its meaning on concrete shapes.

A signature is a function from input shapes and attributes to output shapes that uses only the methods of :class:`Dims`.
On :class:`Dims` it infers a shape. On another implementation of the same methods it is rendered instead:
``polyjuice.egraph.language`` renders it as an egglog rule. So each shape rule is written only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self


class ShapeMismatch(ValueError):
    """The operand shapes or attributes do not fit the operator."""


class Shape(Protocol):
    """The methods that a shape signature may use on a shape; dimension sizes support ``+ - * //``."""

    def __getitem__(self, axis: Any, /) -> Any:
        """The size of one dimension (an int, negative from the end, or an attribute)."""

    def permute(self, perm: Any) -> Self:
        """Dimensions in the order that ``perm`` lists."""

    def replace(self, axis: Any, size: Any) -> Self:
        """The same shape with one dimension's size changed."""

    def batch(self, trailing: int) -> Self:
        """All but the last ``trailing`` dimensions."""

    def append(self, *sizes: Any) -> Self:
        """The shape followed by further dimensions."""

    def broadcast(self, other: Self) -> Self:
        """The shape to which both broadcast (ONNX's multidirectional broadcasting)."""

    def reduced(self, axes: Any, keepdims: Any) -> Self:
        """The shape with the sizes at ``axes`` set to 1, or those dimensions dropped."""

    def sliced(self, starts: Any, ends: Any, axes: Any, steps: Any) -> Self:
        """The shape after taking ``starts:ends:steps`` along ``axes``."""


class Dims(tuple[int, ...]):
    """A concrete shape with the methods of :class:`Shape`."""

    __slots__ = ()

    def permute(self, perm: Sequence[int]) -> Dims:
        if sorted(perm) != list(range(len(self))):
            raise ShapeMismatch(f"perm {tuple(perm)} is not a permutation of {len(self)} dimensions")
        return Dims(self[p] for p in perm)

    def replace(self, axis: int, size: int) -> Dims:
        axis = normalize_axis(axis, len(self))
        return Dims((*self[:axis], size, *self[axis + 1 :]))

    def batch(self, trailing: int) -> Dims:
        if len(self) < trailing:
            raise ShapeMismatch(f"{tuple(self)} has fewer than {trailing} dimensions")
        return Dims(self[: len(self) - trailing])

    def append(self, *sizes: int) -> Dims:
        return Dims((*self, *sizes))

    def broadcast(self, other: Dims) -> Dims:
        return broadcast(self, other)

    def reduced(self, axes: Sequence[int], keepdims: int) -> Dims:
        kept = {normalize_axis(axis, len(self)) for axis in axes}
        if len(kept) < len(axes):
            raise ShapeMismatch(f"axes {tuple(axes)} repeat")
        if keepdims:
            return Dims(1 if i in kept else d for i, d in enumerate(self))
        return Dims(d for i, d in enumerate(self) if i not in kept)

    def sliced(self, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int], steps: Sequence[int]) -> Dims:
        out = list(self)
        places = [normalize_axis(axis, len(self)) for axis in axes]
        if len({*places}) < len(places):
            raise ShapeMismatch("an axis is sliced twice")
        for start, end, axis, step in zip(starts, ends, places, steps, strict=True):
            first, stop, step = slice_bounds(start, end, step, self[axis])
            out[axis] = max(-((first - stop) // step), 0)
        return Dims(out)


def require(fits: object) -> None:
    """Refuse shapes and attributes that do not fit. :func:`polyjuice.ops.inference.infer` says which these are."""
    if not fits:
        raise ShapeMismatch


def fitting(
    fits: Callable[[Sequence[Any], Any], object],
    shape: Callable[[Sequence[Any], Any], Sequence[Any]] = lambda s, a: [s[0]],
) -> Callable[[Sequence[Any], Any], Sequence[Any]]:
    """A signature, that of the first operand unless given, which refuses concrete shapes that do not fit."""

    def checked(s: Sequence[Any], a: Any) -> Sequence[Any]:
        require(not isinstance(s[0], Dims) or fits(s, a))
        return shape(s, a)

    return checked


def normalize_axis(axis: int, rank: int) -> int:
    """The axis counted from the front. Raises ShapeMismatch outside ``[-rank, rank)``."""
    if not -rank <= axis < rank:
        raise ShapeMismatch(f"axis {axis} does not exist in a tensor of rank {rank}")
    return axis % rank


def slice_bounds(start: int, end: int, step: int, size: int) -> tuple[int, int, int]:
    """ONNX Slice bounds of one axis as Python ``range`` arguments.

    The bounds are clamped as Python's slices do, but a backward slice from before the first element starts at that
    element.
    """
    if step == 0:
        raise ShapeMismatch("a slice step is 0")
    least, most = (0, size) if step > 0 else (-1, size - 1)

    def clamped(place: int) -> int:
        return max(place + size, least) if place < 0 else min(place, most)

    return clamped(max(start, -size) if step < 0 else start), clamped(end), step


def broadcast(*shapes: Sequence[int]) -> Dims:
    """The common shape under multidirectional broadcasting. Raises ShapeMismatch where there is none."""
    rank = max(map(len, shapes))
    out = [1] * rank
    for shape in shapes:
        for i, dim in enumerate(shape, start=rank - len(shape)):
            if dim != 1 and out[i] not in (1, dim):
                raise ShapeMismatch(f"shapes {', '.join(str(tuple(s)) for s in shapes)} do not broadcast")
            if dim != 1:
                out[i] = dim
    return Dims(out)
