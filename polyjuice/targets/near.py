"""Near misses: a graph with one small change, as a pass sees it whose guard forgets something.

A near miss is a program in its own right: its meaning is its graph, and nothing says that it equals the graph before.
Each kind of change takes a graph apart, changes one place, and infers all types again; a change that does not fit is
dropped. None makes a value that an operator leaves undefined: constants that an operator restricts, such as scales and
indices, are only put in another order, or drawn again from what the operator takes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polyjuice.egraph.pattern_instances import agrees
from polyjuice.ir import Graph, GraphError, Node, TensorType, digest, dtypes, prune, without_unused_inputs
from polyjuice.ops import TABLE, GraphBuilder, Op, Operand, Sample, primitives
from polyjuice.ops.sampling import broadcastable, generator, restricted_values
from polyjuice.ops.spec import REQUIRED
from polyjuice.targets.blocks import LARGEST, values

_TRIES = 30
"""How many changes may fail to fit before a graph is left as it is."""

_SAMPLES = 12
"""How many proposals of an operator's entry show what its operands and attributes may be."""

_PLAIN = 0.4
"""How often an operator that is added to a graph only returns its operand."""

_REARRANGED = 0.5
"""How often a constant that an operator restricts, such as indices, has its own elements in another order."""

_FLOATS = ("float32", "float32", "float64", "float16", "bfloat16")


@dataclass
class _Sketch:
    """A graph taken apart; ``types`` are those of all its values before any change."""

    inputs: dict[str, TensorType]
    constants: dict[str, np.ndarray]
    nodes: list[Node]
    outputs: list[str]
    types: Mapping[str, TensorType]

    @classmethod
    def of(cls, graph: Graph) -> _Sketch:
        inputs = dict(zip(graph.inputs, graph.input_types, strict=True))
        return cls(inputs, dict(graph.constants), list(graph.nodes), list(graph.outputs), graph.types)

    def graph(self) -> Graph:
        """The graph, with all types inferred. Raises GraphError, ValueError, LookupError."""
        builder = GraphBuilder()
        for name, t in self.inputs.items():
            builder.input(t, name)
        for name, array in self.constants.items():
            builder.constant(array, name)
        if any(t.size > LARGEST for t in builder.types.values()):
            raise ValueError
        for node in self.nodes:
            builder.multi(node.op, *node.inputs, domain=node.domain, outputs=node.outputs, **node.attrs)
        return without_unused_inputs(prune(builder.build(list(dict.fromkeys(self.outputs)))))

    def fresh(self, stem: str) -> str:
        """A name that no value has."""
        taken = {*self.inputs, *self.constants, *(name for node in self.nodes for name in node.outputs)}
        return next(name for i in range(len(taken) + 1) if (name := f"{stem}{i}") not in taken)

    def readers(self, name: str) -> list[tuple[int, int]]:
        """The places that read a value: numbers of nodes and of their operands."""
        return [(i, j) for i, node in enumerate(self.nodes) for j, x in enumerate(node.inputs) if x == name]

    def rewire(self, place: tuple[int, int], name: str) -> None:
        """Let an operand of a node be another value."""
        i, j = place
        node = self.nodes[i]
        self.nodes[i] = replace(node, inputs=(*node.inputs[:j], name, *node.inputs[j + 1 :]))

    def restriction(self, name: str, rng: random.Random) -> Operand | None:
        """What a reader of a constant says of its type and values, if it restricts the values."""
        for i, j in self.readers(name):
            node = self.nodes[i]
            op = TABLE[node.domain, node.op]
            sample = op.sample(rng, self.types[node.inputs[0]]) if j else None
            if sample and j <= len(sample.operands) and sample.operands[j - 1].values:
                return sample.operands[j - 1]
        return None

    @property
    def inner(self) -> list[str]:
        """The values that operators compute and that are no outputs."""
        return [name for node in self.nodes for name in node.outputs if name not in self.outputs]


def near_miss(graph: Graph, rng: random.Random, changes: int) -> tuple[Graph, tuple[str, ...]]:
    """The graph after at most ``changes`` changes, and their kinds."""
    kinds: list[str] = []
    for _ in range(_TRIES):
        if len(kinds) == changes:
            break
        kind = rng.choice(list(KINDS))
        if changed := _changed(graph, KINDS[kind], rng):
            graph = changed
            kinds.append(kind)
    return graph, tuple(kinds)


def _changed(graph: Graph, change: Callable[[_Sketch, random.Random], bool], rng: random.Random) -> Graph | None:
    sketch = _Sketch.of(graph)
    try:
        if not change(sketch, rng):
            return None
        found = sketch.graph()
    except (GraphError, ValueError, LookupError, TypeError, ArithmeticError):
        return None
    fits = found.nodes and all(t.size <= LARGEST for t in found.types.values())
    return found if fits and digest(found) != digest(graph) and _is_defined(found, rng) else None


def _is_defined(graph: Graph, rng: random.Random) -> bool:
    """Whether operands with restricted values, such as scales and indices, are constants with such values.

    Padding is narrower than a window. Nothing is known of operators whose entry proposes no operands for the first one.
    """
    for node in graph.nodes:
        kernel, pads = node.attrs.get("kernel_shape", ()), node.attrs.get("pads", ())
        if any(pad >= size for pad, size in zip(pads, (*kernel, *kernel), strict=False)):
            return False
        if len(node.inputs) > 1:
            samples = list(_samples(TABLE[node.domain, node.op], graph.types[node.inputs[0]], rng))
            for j, name in enumerate(node.inputs[1:]):
                restricting = [one for one in samples if j < len(one.operands) and one.operands[j].values]
                ranges = [one.operands[j].values for one in restricting if agrees(one, node.attrs)]
                array = graph.constants.get(name)
                known = array is not None and any(_within(array, limits) for limits in ranges if limits)
                if not samples or (restricting and not known):
                    return False
    return True


def _within(array: np.ndarray, limits: tuple[int, int]) -> bool:
    return not array.size or bool((array >= limits[0]).all() and (array <= limits[1]).all())


# --- operators and edges ---------------------------------------------------------------------------------------------


def _swapped(s: _Sketch, rng: random.Random) -> bool:
    """Two operands of a node change places, whether or not it commutes."""
    several = [i for i, node in enumerate(s.nodes) if len(set(node.inputs)) > 1]
    if not several:
        return False
    i = rng.choice(several)
    operands = list(s.nodes[i].inputs)
    j, k = rng.sample(range(len(operands)), 2)
    operands[j], operands[k] = operands[k], operands[j]
    s.nodes[i] = replace(s.nodes[i], inputs=tuple(operands))
    return True


def _reread(s: _Sketch, rng: random.Random) -> bool:
    """An operand becomes another value of its type, also one that the node reads already."""
    places = [(i, j) for i, node in enumerate(s.nodes) for j in range(len(node.inputs))]
    i, j = rng.choice(places)
    wanted = s.types[s.nodes[i].inputs[j]]
    before = [*s.inputs, *s.constants, *(name for node in s.nodes[:i] for name in node.outputs)]
    others = [name for name in before if s.types[name] == wanted and name != s.nodes[i].inputs[j]]
    if not others:
        return False
    s.rewire((i, j), rng.choice(others))
    return True


def _signature(op: Op, operands: int) -> object:
    """What operators of one kind have in common: types, and attributes without which they have no meaning."""
    attrs = {attr.name for attr in op.attrs if attr.kind == "ints" or attr.default is REQUIRED}
    return op.domain, *map(op.variable, range(operands)), *op.results, op.elementwise, op.data_dependent, attrs


def _siblings(op: Op, operands: Sequence[TensorType]) -> list[Op]:
    """Operators that a pass may take for another one on operands of some types."""
    wanted = _signature(op, len(operands))
    return [
        other
        for other in TABLE.values()
        if other is not op
        and len(operands) in range(other.arity[0], (other.arity[1] or len(operands)) + 1)
        and _signature(other, len(operands)) == wanted
        and all(other.accepts(i, t.dtype) for i, t in enumerate(operands))
    ]


def _sibling(s: _Sketch, rng: random.Random) -> bool:
    """An operator becomes one of its kind."""
    i = rng.randrange(len(s.nodes))
    node = s.nodes[i]
    others = _siblings(TABLE[node.domain, node.op], [s.types[x] for x in node.inputs])
    if not others:
        return False
    op = rng.choice(others)
    attrs = {attr.name for attr in op.attrs}
    s.nodes[i] = replace(node, op=op.name, attrs={name: v for name, v in node.attrs.items() if name in attrs})
    return True


def _unary(rng: random.Random, t: TensorType) -> str:
    """An operator that is finite on all values of a type, and keeps the type."""
    others = [op.name for op in _siblings(TABLE["", primitives.IDENTITY], [t]) if not op.distance_to_domain]
    return rng.choice(others) if others and rng.random() > _PLAIN else primitives.IDENTITY


def _on_edge(s: _Sketch, rng: random.Random) -> bool:
    """A unary operator, a Transpose or a conversion there and back comes between two operators."""
    place = rng.choice([(i, j) for i, node in enumerate(s.nodes) for j in range(len(node.inputs))])
    i, j = place
    x = s.nodes[i].inputs[j]
    t, name = s.types[x], s.fresh("e")
    chance = rng.random()
    if chance < 0.2 and t.rank > 1:
        new = [Node(primitives.TRANSPOSE, (x,), (name,), {"perm": tuple(rng.sample(range(t.rank), t.rank))})]
    elif chance < 0.35 and dtypes.is_float(t.dtype):
        there = s.fresh("f")
        to = rng.choice([other for other in _FLOATS if other != t.dtype])
        new = [Node(primitives.CAST, (v,), (w,), {"to": to}) for v, w, to in ((x, there, to), (there, name, t.dtype))]
    else:
        new = [Node(_unary(rng, t), (x,), (name,), {})]
    s.rewire(place, name)
    s.nodes[i:i] = new
    return True


def _removed(s: _Sketch, rng: random.Random) -> bool:
    """A node goes; its readers read its first operand."""
    if len(s.nodes) < 2:
        return False
    node = s.nodes.pop(rng.randrange(len(s.nodes)))
    for name in node.outputs:
        for place in s.readers(name):
            s.rewire(place, node.inputs[0])
        s.outputs = [node.inputs[0] if x == name else x for x in s.outputs]
    s.outputs = [x for x in s.outputs if x not in s.inputs and x not in s.constants]
    return True


def _second_reader(s: _Sketch, rng: random.Random) -> bool:
    """Another operator reads an inner value, and its result is an output."""
    if not s.inner:
        return False
    name, x = s.fresh("r"), rng.choice(s.inner)
    s.nodes.append(Node(_unary(rng, s.types[x]), (x,), (name,), {}))
    s.outputs.append(name)
    return True


def _returned(s: _Sketch, rng: random.Random) -> bool:
    """An inner value is an output."""
    if not s.inner:
        return False
    s.outputs.append(rng.choice(s.inner))
    return True


def _attribute(s: _Sketch, rng: random.Random) -> bool:
    """An attribute has another value: of those that the operator's entry draws, or one place further."""
    having = [i for i, node in enumerate(s.nodes) if node.attrs]
    if not having:
        return False
    i = rng.choice(having)
    node = s.nodes[i]
    name = rng.choice(list(node.attrs))
    others = [value for value in _other_values(s, node, name, rng) if value != node.attrs[name]]
    if not others:
        return False
    s.nodes[i] = replace(node, attrs={**node.attrs, name: rng.choice(others)})
    return True


def _other_values(s: _Sketch, node: Node, name: str, rng: random.Random) -> Iterator[Any]:
    """The values that the entry draws, and the numbers in another order, or one of them moved within their range."""
    old = node.attrs[name]
    samples = _samples(TABLE[node.domain, node.op], s.types[node.inputs[0]], rng)
    drawn = [sample.attrs[name] for sample in samples if name in sample.attrs]
    yield from drawn
    numbers = old if isinstance(old, tuple) else (old,)
    known = {number for value in (*drawn, old) for number in (value if isinstance(value, tuple) else (value,))}
    is_flag = old is not numbers and known <= {0, 1}
    if drawn and numbers and not is_flag and all(isinstance(number, int) for number in known):
        i = rng.randrange(len(numbers))
        moved = numbers[i] + rng.choice((-1, 1))
        if moved >= min(known) and dtypes.holds("int64", moved):
            yield (*numbers[:i], moved, *numbers[i + 1 :]) if old is numbers else moved
        if old is numbers:
            yield tuple(rng.sample(numbers, len(numbers)))


def _samples(op: Op, first: TensorType, rng: random.Random) -> Iterator[Sample]:
    for _ in range(_SAMPLES):
        if found := op.sample(rng, first):
            yield found


# --- constants and inputs --------------------------------------------------------------------------------------------


def _value(s: _Sketch, rng: random.Random) -> bool:
    """A constant has other values; one element differs, or all are equal."""
    if not s.constants:
        return False
    name = rng.choice(list(s.constants))
    array = s.constants[name]
    if operand := s.restriction(name, rng):
        drawn = restricted_values(generator(rng), replace(operand, type=s.types[name]))
        s.constants[name] = generator(rng).permutation(array) if array.ndim and rng.random() < _REARRANGED else drawn
        return True
    chance = rng.random()
    if chance < 0.3:
        new = array * rng.choice((2, -1, 3)) if array.dtype != bool else ~array
    elif chance < 0.5 and array.size > 1:
        new = array.copy()
        new.reshape(-1)[rng.randrange(array.size)] = rng.choice((0, 1, 2, 3))
    elif chance < 0.7 and array.size:
        new = np.full(array.shape, array.reshape(-1)[0])
    elif chance < 0.8 and dtypes.is_float(s.types[name].dtype):
        new = array + np.asarray(rng.choice((0.5, 1, -1, 1e-3)))
    else:
        new = values(rng, s.types[name])
    s.constants[name] = np.asarray(new).astype(array.dtype)
    return True


def _constant_shape(s: _Sketch, rng: random.Random) -> bool:
    """A constant of one value has another shape; or one with several has the shape that its reader draws."""
    if not s.constants:
        return False
    name = rng.choice(list(s.constants))
    array, t = s.constants[name], s.types[name]
    if operand := s.restriction(name, rng):
        drawn = replace(operand, type=TensorType(t.dtype, operand.type.shape))
        s.constants[name] = restricted_values(generator(rng), drawn)
        return True
    if not array.size:
        return False
    reader, _ = rng.choice(s.readers(name) or [(0, 0)])
    beside = max((s.types[x].shape for x in s.nodes[reader].inputs), key=len)
    shape = rng.choice([(), (1,), (1,) * len(beside), (1,) * (len(beside) + 1), broadcastable(rng, beside), beside])
    single = (array == array.reshape(-1)[0]).all()
    filled = np.full(shape, array.reshape(-1)[0]) if single else values(rng, TensorType(t.dtype, tuple(shape)))
    s.constants[name] = filled.astype(array.dtype)
    return True


def _origin(s: _Sketch, rng: random.Random) -> bool:
    """A constant becomes an input or is computed; or an input becomes a constant."""
    free = [name for name in s.constants if not s.restriction(name, rng)]
    chance = rng.random()
    if free and chance < 0.4:
        name = rng.choice(free)
        del s.constants[name]
        s.inputs[name] = s.types[name]
    elif s.constants and chance < 0.7:
        name, copy = rng.choice(list(s.constants)), s.fresh("k")
        places = s.readers(name)
        if not places:
            return False
        s.rewire(rng.choice(places), copy)
        s.nodes.insert(0, Node(primitives.IDENTITY, (name,), (copy,), {}))
    elif len(s.inputs) > 1:
        name = rng.choice(list(s.inputs))
        s.constants[name] = values(rng, s.inputs.pop(name))
    else:
        return False
    return True


def _element_type(s: _Sketch, rng: random.Random) -> bool:
    """All inputs and constants of one element type, or one of them, have another."""
    leaves = [*s.inputs, *s.constants]
    old = s.types[rng.choice(leaves)].dtype
    new = rng.choice([t for t in (*_FLOATS, *dtypes.INTS) if t != old])
    if dtypes.is_float(old) and rng.random() < 0.7:
        new = rng.choice([t for t in _FLOATS if t != old])
    chosen = [name for name in leaves if s.types[name].dtype == old]
    for name in chosen if rng.random() < 0.8 else [rng.choice(chosen)]:
        if name in s.inputs:
            s.inputs[name] = TensorType(new, s.types[name].shape)
        else:
            s.constants[name] = s.constants[name].astype(dtypes.to_numpy(new))
    return True


def _size(s: _Sketch, rng: random.Random) -> bool:
    """A size of dimensions becomes 1, 0 or another one, wherever it occurs or in one value."""
    leaves = [*s.inputs, *s.constants]
    sizes = sorted({size for name in leaves for size in s.types[name].shape})
    if not sizes:
        return False
    old, new = rng.choice(sizes), rng.choice((1, 1, 1, 2, 3, 7, 9, 0))
    for name in leaves if rng.random() < 0.7 else [rng.choice(leaves)]:
        shape = tuple(new if size == old else size for size in s.types[name].shape)
        if name in s.inputs:
            s.inputs[name] = TensorType(s.types[name].dtype, shape)
        elif shape != s.types[name].shape:
            s.constants[name] = values(rng, TensorType(s.types[name].dtype, shape))
    return True


def _rank(s: _Sketch, rng: random.Random) -> bool:
    """An input has a dimension more or less."""
    name = rng.choice(list(s.inputs)) if s.inputs else ""
    if not name:
        return False
    t = s.inputs[name]
    shape = (rng.choice((1, 2)), *t.shape) if rng.random() < 0.6 or not t.rank else t.shape[1:]
    s.inputs[name] = TensorType(t.dtype, shape)
    return True


KINDS: Mapping[str, Callable[[_Sketch, random.Random], bool]] = {
    "operands swapped": _swapped,
    "other operand": _reread,
    "other operator": _sibling,
    "operator on an edge": _on_edge,
    "operator removed": _removed,
    "second reader": _second_reader,
    "inner value returned": _returned,
    "attribute": _attribute,
    "constant's value": _value,
    "constant's shape": _constant_shape,
    "constant's origin": _origin,
    "element type": _element_type,
    "size": _size,
    "rank": _rank,
}
"""The kinds of changes by name."""
