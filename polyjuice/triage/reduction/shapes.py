"""Fewer elements: shrink a dimension that both sides share, and the attributes that mention it.

The operator table infers the shapes; ill-typed results are no candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations, islice, product

import numpy as np

from polyjuice.ir import GraphError, Node
from polyjuice.triage.reduction.edits import Edit
from polyjuice.triage.reduction.leaves import Leaf, array_of, leaves, with_leaves
from polyjuice.triage.reduction.pair import Pair
from polyjuice.triage.reduction.trial import Trial

#: Attributes whose numbers are no sizes.
_NO_SIZES = ("axis", "axes", "perm", "keepdims", "dim", "source", "destination")

#: How many ways to adapt one side's attributes to other sizes are tried.
_FITS = 4

#: Up to this many axes of one size, all subsets are tried; beyond it, only some.
_AXES = 5


Axis = tuple[Leaf, int]


def smaller_dimensions(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Shrink all or some axes of one size, starting with the largest size."""
    arrays = leaves(pair)
    for size in sorted({size for array in arrays.values() for size in array.shape if size > 1}, reverse=True):
        axes = [(leaf, axis) for leaf, array in arrays.items() for axis, dim in enumerate(array.shape) if dim == size]
        for chosen in _sets(axes):
            for new in dict.fromkeys((1, 2, 3, size // 2, size - 1)):
                if 0 < new < size:
                    yield partial(_resize, axes=chosen, size=size, new=new)


def _sets(axes: Sequence[Axis]) -> Iterator[tuple[Axis, ...]]:
    """All axes, then smaller and smaller subsets; of many axes only those of one leaf, and single ones."""
    if len(axes) <= _AXES:
        for count in range(len(axes), 0, -1):
            yield from combinations(axes, count)
        return
    yield tuple(axes)
    for leaf in dict.fromkeys(leaf for leaf, _ in axes):
        yield tuple(axis for axis in axes if axis[0] == leaf)
    for axis in axes:
        yield (axis,)


def _resize(pair: Pair, axes: Sequence[Axis], size: int, new: int) -> Iterator[Pair]:
    """Keep the first elements along the axes, or the last."""
    along: dict[Leaf, list[int]] = {}
    for leaf, axis in axes:
        along.setdefault(leaf, []).append(axis)
    whole = {leaf: array_of(pair, leaf) for leaf in along}
    first, last = {}, {}
    for leaf, array in whole.items():
        if array is None or any(array.shape[axis] != size for axis in along[leaf]):
            return
        first[leaf] = _crop(array, along[leaf], slice(0, new))
        last[leaf] = _crop(array, along[leaf], slice(size - new, size))
    fits = [list(islice(_fits(pair, first, side, size, new), _FITS)) for side in range(len(pair.graphs))]
    for nodes in product(*fits):
        for arrays in (first, last):
            with suppress(GraphError):
                yield with_leaves(pair, arrays, nodes)


def _crop(array: np.ndarray, axes: Sequence[int], kept: slice) -> np.ndarray:
    return np.ascontiguousarray(array[tuple(kept if n in axes else slice(None) for n in range(array.ndim))])


def _fits(pair: Pair, arrays: Mapping[Leaf, np.ndarray], side: int, size: int, new: int) -> Iterator[Sequence[Node]]:
    """Yield one side's nodes with attributes that make it well typed on smaller leaves."""
    alone = replace(pair, graphs=(pair.graphs[side],))
    own = {tuple((0, name) for number, name in leaf if number == side): array for leaf, array in arrays.items()}
    seen = set()
    for nodes in _attributes(alone.graphs[0].nodes, size, new):
        text = "\n".join(map(str, nodes))
        if text in seen:
            continue
        seen.add(text)
        with suppress(GraphError):
            with_leaves(alone, own, [nodes])
            yield nodes


def _attributes(nodes: Sequence[Node], size: int, new: int) -> Iterator[list[Node]]:
    """Nodes with sizes in attributes unchanged; then equal sizes replaced; then multiples; then single numbers."""
    yield list(nodes)
    yield [_mapped(node, lambda n: new if n == size else n) for node in nodes]
    yield [_mapped(node, lambda n: n // size * new if n > 0 and n % size == 0 else n) for node in nodes]
    lists = dict.fromkeys((node.qualified, name, value) for node in nodes for name, value in _sizes(node).items())
    for op, name, value in lists:
        for place, n in enumerate(value):
            if n > size - new:
                less = (*value[:place], n - (size - new), *value[place + 1 :])
                alike = [node.qualified == op and _sizes(node).get(name) == value for node in nodes]
                yield [
                    replace(node, attrs={**node.attrs, name: less}) if same else node
                    for node, same in zip(nodes, alike, strict=True)
                ]


def _mapped(node: Node, change: Callable[[int], int]) -> Node:
    return replace(node, attrs={**node.attrs, **{k: tuple(map(change, v)) for k, v in _sizes(node).items()}})


def _sizes(node: Node) -> dict[str, tuple[int, ...]]:
    """The attributes that are lists of numbers and may mention sizes."""
    return {
        name: tuple(value)
        for name, value in node.attrs.items()
        if name not in _NO_SIZES and isinstance(value, tuple | list) and all(isinstance(n, int) for n in value)
    }
