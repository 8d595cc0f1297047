"""Fewer elements and axes, and simpler element types, attributes, lowering choices and values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations, islice, permutations, product
from typing import Any

import numpy as np

from polyjuice.execution import Site
from polyjuice.ir import Attrs, Graph, GraphError, Node, complexes, dtypes, uniform_value
from polyjuice.ops.spec import REQUIRED
from polyjuice.triage.reduction.edits import Edit, Leaf, array_of, leaves, with_leaves, with_nodes
from polyjuice.triage.reduction.trial import PLAINEST, Pair, Trial, array_cost, cast, defaults

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


# --- fewer axes: no leading axis of size 1 in inputs and constants ----------------------------------------------------

_NUMBER_AXES = ("axis", "axes", "perm")
"""Attributes that number axes; negative numbers count from the end."""


def fewer_axes(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Remove the first axis of all leaves of at least some rank, from the highest rank down; then of single leaves."""
    arrays = leaves(pair)
    ranks = sorted({array.ndim for array in arrays.values()}, reverse=True)
    for least in ranks:
        if least:
            yield partial(_without_first, chosen=[leaf for leaf, array in arrays.items() if array.ndim >= least])
    for leaf, array in arrays.items():
        if array.ndim:
            yield partial(_without_first, chosen=[leaf])


def _without_first(pair: Pair, chosen: Sequence[Leaf]) -> Iterator[Pair]:
    smaller: dict[Leaf, np.ndarray] = {}
    for leaf in chosen:
        array = array_of(pair, leaf)
        if array is not None:
            if not array.ndim or array.shape[0] != 1:
                return
            smaller[leaf] = array[0]
    with suppress(GraphError):
        yield with_leaves(pair, smaller)
    with suppress(GraphError):
        yield with_leaves(pair, smaller, [list(map(_one_axis_less, graph.nodes)) for graph in pair.graphs])


def _one_axis_less(node: Node) -> Node:
    attrs = dict(node.attrs)
    for name in _NUMBER_AXES:
        value = attrs.get(name)
        if isinstance(value, int):
            attrs[name] = value - 1 if value > 0 else value
        elif isinstance(value, tuple | list):
            attrs[name] = tuple(axis - 1 if axis > 0 else axis for axis in value if axis or name != "perm")
    for name in ("shape", "repeats"):
        value = attrs.get(name)
        if isinstance(value, tuple | list) and value and value[0] == 1:
            attrs[name] = tuple(value[1:])
    return replace(node, attrs=attrs)


# --- types, attributes, choices and values ------------------------------

#: The most parts into which an array is divided to simplify its values part by part.
_PARTS = 32


def no_choices(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Keep only the lowering choices that the programs ask for; then keep none."""
    yield lambda p: iter([trial.asked(p)])
    yield partial(_without, sites=dict(enumerate(_sites(pair, trial))))


def _sites(pair: Pair, trial: Trial) -> list[list[Site]]:
    return [[site for site in choices.taken if site not in trial.fixed] for choices in pair.choices]


def plainer_choices(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Remove all lowering choices, or one side's; then those at fewer sites; then simplify site by site."""
    yield from no_choices(pair, trial)
    sites = _sites(pair, trial)
    for side, all_sites in enumerate(sites):
        for fewer in _parts(all_sites):
            yield partial(_without, sites={side: fewer})
    for side, all_sites in enumerate(sites):
        for site in all_sites:
            yield partial(_with_plainer_option, side=side, site=site)


def _parts(sites: Sequence[Site]) -> Iterator[Sequence[Site]]:
    """Yield all sites, then halves of them, quarters and so on, down to single sites."""
    size = len(sites)
    while size:
        yield from (sites[start : start + size] for start in range(0, len(sites), size))
        size = -(-size // 2) if size > 1 else 0


def _without(pair: Pair, sites: Mapping[int, Collection[Site]]) -> Iterator[Pair]:
    yield replace(pair, choices=tuple(c.without(sites.get(side, ())) for side, c in enumerate(pair.choices)))


def _with_plainer_option(pair: Pair, side: int, site: Site) -> Iterator[Pair]:
    for plainer in pair.choices[side].plainer_at(site):
        yield replace(pair, choices=tuple(plainer if n == side else c for n, c in enumerate(pair.choices)))


def plainer_types(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Change one element type everywhere to a simpler one; then leaf by leaf."""
    used = {t.dtype for graph in pair.graphs for t in graph.types.values()}
    for old in sorted(used, key=PLAINEST.index, reverse=True):
        found = [leaf for leaf, array in leaves(pair).items() if dtypes.dtype_of(array) == old]
        for new in (name for name in PLAINEST[: PLAINEST.index(old)] if name != "bool"):
            yield partial(_retyped, chosen=found, old=old, new=new, attributes=True)
            for leaf in found:
                yield partial(_retyped, chosen=[leaf], old=old, new=new, attributes=False)


def _retyped(pair: Pair, chosen: Sequence[Leaf], old: str, new: str, attributes: bool) -> Iterator[Pair]:
    def node(n: Node) -> Node:
        return replace(n, attrs={k: new if v == old and attributes else v for k, v in n.attrs.items()})

    arrays = {leaf: array_of(pair, leaf) for leaf in chosen}
    there = {leaf: array for leaf, array in arrays.items() if array is not None and dtypes.dtype_of(array) == old}
    nodes = [list(map(node, graph.nodes)) for graph in pair.graphs]
    yield with_leaves(pair, {leaf: cast(array, new) for leaf, array in there.items()}, nodes)


def plainer_attributes(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Copy attributes from another node with the same operator; then use defaults or smaller numbers.

    Each such value replaces an attribute on all nodes that have it alike, and then on single nodes.
    """
    every = [(side, node) for side, graph in enumerate(pair.graphs) for node in graph.nodes]
    for (side, node), (_, other) in permutations(every, 2):
        if node.qualified == other.qualified and node.attrs != other.attrs:
            yield partial(_with_attributes, side=side, outputs=node.outputs, attrs=other.attrs)
    places = [
        (side, n, k) for side, graph in enumerate(pair.graphs) for n, node in enumerate(graph.nodes) for k in node.attrs
    ]
    seen = []
    for side, number, name in places:
        node = pair.graphs[side].nodes[number]
        like = node.qualified, name, node.attrs[name]
        choices = list(_plainer(node, name))
        if like not in seen:
            seen.append(like)
            for value in choices:
                yield partial(_with_attribute, op=node.qualified, name=name, old=node.attrs[name], new=value)
        for value in choices:
            only = side, node.outputs
            yield partial(_with_attribute, op=node.qualified, name=name, old=node.attrs[name], new=value, only=only)


def _with_attributes(pair: Pair, side: int, outputs: tuple[str, ...], attrs: Attrs) -> Iterator[Pair]:
    yield with_nodes(pair, lambda n, node: replace(node, attrs=attrs) if (n, node.outputs) == (side, outputs) else node)


def _plainer(node: Node, name: str) -> Iterator[Any]:
    """Simpler values of an attribute, the simplest first."""
    value = node.attrs[name]
    default = defaults(node).get(name, REQUIRED)
    if default is not REQUIRED and default != value:
        yield default
    if isinstance(value, bool | str | Graph) or value is None:
        return
    if isinstance(value, int | float):
        yield from _plainer_numbers(value)
    elif isinstance(value, tuple | list) and all(isinstance(v, int | float) for v in value):
        yield (0,) * len(value)
        yield (1,) * len(value)
        for place, v in enumerate(value):
            yield (*value[:place], *value[place + 1 :])
            for plainer in _plainer_numbers(v):
                yield (*value[:place], plainer, *value[place + 1 :])


def _plainer_numbers(value: float) -> Iterator[float]:
    kind = type(value)
    if not np.isfinite(value):
        return
    for plainer in dict.fromkeys(
        (0, 1, 2, round(value), abs(value), int(value / 2), value - 1 if value > 0 else value + 1)
    ):
        if plainer != value:
            yield kind(plainer)


def _with_attribute(
    pair: Pair, op: str, name: str, old: Any, new: Any, only: tuple[int, tuple[str, ...]] | None = None
) -> Iterator[Pair]:
    def changed(side: int, n: Node) -> Node:
        same = n.qualified == op and n.attrs.get(name) == old and only in (None, (side, n.outputs))
        return replace(n, attrs={**n.attrs, name: new}) if same else n

    yield with_nodes(pair, changed)


def plainer_values(pair: Pair, trial: Trial) -> Iterator[Edit]:
    """Replace inputs and constants by zeros, ones, whole numbers or small numbers; then inputs part by part.

    Constants change only as a whole: zeros among their elements could make programs equal for no other reason.
    """
    for leaf, array in leaves(pair).items():
        for change in CHANGES:
            yield partial(_with_changed, leaf=leaf, change=change, places=slice(None))
        is_input = leaf[0][1] in pair.graphs[leaf[0][0]].inputs
        for places in spans(array.size) if is_input else ():
            for change in PART_CHANGES:
                yield partial(_with_changed, leaf=leaf, change=change, places=places)
    uniform = (uniform_value(array) for leaf, array in leaves(pair).items())
    for value in dict.fromkeys(value for value in uniform if value is not None):
        for plainer in _plainer_numbers(value):
            yield partial(_uniform, old=value, new=plainer)


def _uniform(pair: Pair, old: float, new: float) -> Iterator[Pair]:
    alike = {
        leaf: np.full_like(array, new)
        for leaf, array in leaves(pair).items()
        if leaf[0][1] in pair.graphs[leaf[0][0]].constants and uniform_value(array) == old
    }
    yield with_leaves(pair, alike)


def _with_changed(pair: Pair, leaf: Leaf, change: Callable[[np.ndarray], np.ndarray], places: slice) -> Iterator[Pair]:
    array = array_of(pair, leaf)
    plainer = None if array is None else changed(array, change, places)
    if plainer is not None:
        yield with_leaves(pair, {leaf: plainer})


def changed(array: np.ndarray, change: Callable[[np.ndarray], np.ndarray], places: slice) -> np.ndarray | None:
    """An array with some elements changed; None where that does not make it simpler."""
    if not array.size:
        return None
    flat = array.ravel().copy()
    flat[places] = cast(np.asarray(change(flat[places])), dtypes.dtype_of(array))
    plainer = flat.reshape(array.shape)
    return plainer if array_cost(plainer) < array_cost(array) else None


def spans(size: int) -> Iterator[slice]:
    """Halves of an array, their halves, and so on, down to single elements if there are few."""
    length = size // 2
    while length and size // length <= _PARTS:
        yield from (slice(start, start + length) for start in range(0, size, length))
        length //= 2


def _first(array: np.ndarray) -> np.ndarray:
    return np.full_like(array, array[0])


def _counting(array: np.ndarray) -> np.ndarray:
    return np.arange(array.size)


def _halved(array: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return complexes.by_parts(lambda part: np.trunc(part.astype(np.float64) / 2), array)


CHANGES = (np.zeros_like, np.ones_like, _first, _counting, np.rint, np.abs, _halved)
"""Changes that make a whole array simpler, the simplest result first."""

PART_CHANGES = (np.zeros_like, np.ones_like, np.rint, np.abs, _halved)
"""Changes that make part of an array simpler."""
