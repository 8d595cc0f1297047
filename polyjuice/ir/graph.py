"""Graph, Node and TensorType: an immutable tensor program in SSA form, named as in ONNX.

A graph lists its inputs, its constants, its nodes in topological order and its outputs. Every value has a
:class:`TensorType`. The meaning of operators is not here but in the operator table (``polyjuice.ops``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from polyjuice.ir import dtypes
from polyjuice.ir.arrays import array_digest, array_text
from polyjuice.wording import visible

#: An attribute is a number, a string, a tuple of numbers or strings, a Graph, or (opaque nodes only) an AttributeProto.
Attrs = Mapping[str, Any]


UNKNOWN = -1
"""The size of a dimension that the values of operands decide, as in the result of NonZero."""


class GraphError(ValueError):
    """A graph that breaks a law of the IR; the message names the node and the law."""


class SizeUnknown(GraphError):
    """Something needs a size that is known only when the program runs."""


class _Unreadable(int):
    """An unknown size that can be compared, and not computed with or printed."""

    def _refuse(self, *_: object) -> Any:
        raise SizeUnknown("it needs a size that only a run tells")

    __str__ = __repr__ = __format__ = __bool__ = __int__ = __index__ = __float__ = __abs__ = __neg__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


@dataclass(frozen=True, slots=True)
class TensorType:
    """An element type (a name of :mod:`polyjuice.ir.dtypes`) and a shape, whose sizes may be UNKNOWN."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements; an unknown size counts as 1."""
        count = 1
        for dim in self.shape:
            count *= abs(dim)
        return count

    @property
    def known(self) -> bool:
        """Whether all sizes are known."""
        return UNKNOWN not in self.shape

    def with_size(self, size: int) -> TensorType:
        """The same type, with a size in place of unknown ones."""
        return self if self.known else TensorType(self.dtype, tuple(size if d == UNKNOWN else d for d in self.shape))

    def guarded(self) -> TensorType:
        """The same type, whose unknown sizes raise SizeUnknown where anything computes with them or prints them."""
        sizes = (_Unreadable(UNKNOWN) if d == UNKNOWN else d for d in self.shape)
        return self if self.known else TensorType(self.dtype, tuple(sizes))

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join('?' if dim == UNKNOWN else str(dim) for dim in self.shape)}]"


@dataclass(frozen=True, slots=True)
class Node:
    """One operator applied to named values.

    An input named ``""`` is an absent optional input. An output named ``""`` has no readers (as in ONNX). ``opaque``
    marks an operator that is kept verbatim and matched by no rule. ``identity`` tells stateful or random opaque nodes
    apart, so that two of them are never merged.
    """

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: Attrs = field(default_factory=dict)
    domain: str = ""
    opaque: bool = False
    identity: str = ""

    @property
    def qualified(self) -> str:
        """The operator's name, with its domain unless that is ONNX's own."""
        return f"{self.domain}.{self.op}" if self.domain else self.op

    def __str__(self) -> str:
        texts = (f"{k}={_summary(v)}" for k, v in sorted(self.attrs.items()))
        attrs = "..." if self.opaque else ", ".join(texts)
        call = f"{self.qualified}({', '.join(self.inputs)}" + (f"; {attrs})" if self.attrs else ")")
        return f"{', '.join(self.outputs)} = {call}"


@dataclass(frozen=True)
class Graph:
    """A tensor program: ``inputs`` and ``constants`` in, ``outputs`` out, ``nodes`` between in topological order.

    ``types`` gives the type of every value by name. ``opsets`` keeps the versions of the domains of opaque nodes.
    ``updates`` names the inputs into which the program writes. It maps each to the number of an output, whose value the
    input holds when the program ends. The program returns the other outputs.
    """

    inputs: tuple[str, ...]
    constants: Mapping[str, np.ndarray]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]
    types: Mapping[str, TensorType]
    opsets: Mapping[str, int] = field(default_factory=dict)
    updates: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def input_types(self) -> tuple[TensorType, ...]:
        """The types of the inputs, in order."""
        return tuple(self.types[name] for name in self.inputs)

    @property
    def output_types(self) -> tuple[TensorType, ...]:
        """The types of the outputs, in order."""
        return tuple(self.types[name] for name in self.outputs)

    @property
    def returned(self) -> tuple[str, ...]:
        """The outputs that the program returns: all but the final values of updated inputs."""
        updates = {*self.updates.values()}
        return tuple(name for place, name in enumerate(self.outputs) if place not in updates)

    def __str__(self) -> str:
        lines = [f"input {n}: {self.types[n]}" for n in self.inputs]
        lines += [f"const {n}: {self.types[n]} = {array_text(array)}" for n, array in self.constants.items()]
        lines += [f"{node}  : {', '.join(str(self.types[o]) for o in node.outputs if o)}" for node in self.nodes]
        lines += [f"update {name} = {self.outputs[place]}" for name, place in self.updates.items()]
        return "\n".join([*lines, f"output {', '.join(self.returned)}"])


def _summary(value: Any) -> str:
    return f"<graph of {len(value)} nodes>" if isinstance(value, Graph) else visible(str(value))


def prune(graph: Graph) -> Graph:
    """Drop the nodes and constants on which no output depends. All inputs stay: they are the signature.

    Returns the same object if there is nothing to drop.
    """
    needed = set(graph.outputs)
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if needed.intersection(node.outputs):
            kept.append(node)
            needed.update(name for name in node.inputs if name)
    kept.reverse()
    constants = {name: array for name, array in graph.constants.items() if name in needed}
    values = {*graph.inputs, *constants, *(name for node in kept for name in node.outputs if name)}
    types = {name: t for name, t in graph.types.items() if name in values}
    if (len(kept), len(constants), len(types)) == (len(graph.nodes), len(graph.constants), len(graph.types)):
        return graph
    return replace(graph, nodes=tuple(kept), constants=constants, types=types)


def read(graph: Graph) -> set[str]:
    """The values that a node or an output needs, and the inputs into which the program writes."""
    return {*graph.outputs, *graph.updates, *(name for node in graph.nodes for name in node.inputs)}


def without_unused_inputs(graph: Graph) -> Graph:
    """The graph without the inputs that nothing reads."""
    used = read(graph)
    inputs = tuple(name for name in graph.inputs if name in used)
    types = {name: t for name, t in graph.types.items() if name in used or name not in graph.inputs}
    return replace(graph, inputs=inputs, types=types)


def with_outputs(graph: Graph, places: Sequence[int]) -> Graph:
    """The graph with only the outputs at these places, in this order; unneeded nodes stay.

    An input whose update is not among the outputs is not updated.
    """
    updates = {name: places.index(place) for name, place in graph.updates.items() if place in places}
    return replace(graph, outputs=tuple(graph.outputs[place] for place in places), updates=updates)


def releases(graph: Graph) -> list[list[str]]:
    """For each node, the operands that no later node or output needs, so that an evaluation may free them."""
    needed = set(graph.outputs)
    free: list[list[str]] = []
    for node in reversed(graph.nodes):
        free.append([name for name in dict.fromkeys(node.inputs) if name and name not in needed])
        needed.update(node.inputs)
    free.reverse()
    return free


def check_structure(graph: Graph) -> None:
    """Raise GraphError unless the graph is SSA, topologically ordered, and every value has a type that fits."""
    defined: set[str] = set()

    def define(name: str, where: str) -> None:
        if name in defined:
            raise GraphError(f"{where}: the value {name!r} is defined twice")
        if name not in graph.types:
            raise GraphError(f"{where}: the value {name!r} has no type")
        defined.add(name)

    for name in graph.inputs:
        define(name, "graph inputs")
    for name, array in graph.constants.items():
        define(name, "graph constants")
        if TensorType(dtypes.dtype_of(array), array.shape) != graph.types[name]:
            raise GraphError(f"the constant {name!r} is not of its declared type {graph.types[name]}")
    for node in graph.nodes:
        for name in node.inputs:
            if name and name not in defined:
                raise GraphError(f"node {node}: the input {name!r} is not defined before it")
        for name in filter(None, node.outputs):
            define(name, f"node {node}")
    for name in graph.outputs:
        if name not in defined:
            raise GraphError(f"the output {name!r} is not defined")
    _check_updates(graph)


def _check_updates(graph: Graph) -> None:
    if len({*graph.updates.values()}) < len(graph.updates):
        raise GraphError("two inputs are updated by one output")
    for name, place in graph.updates.items():
        if name not in graph.inputs:
            raise GraphError(f"the update of {name!r}: it is no input")
        if not 0 <= place < len(graph.outputs):
            raise GraphError(f"the update of {name!r}: there is no output {place}")
        if graph.types[name] != graph.types[graph.outputs[place]]:
            raise GraphError(f"the update of {name!r}: the output {graph.outputs[place]!r} is of another type")


def attribute_texts(attrs: Attrs) -> list[tuple[str, str]]:
    """Names and values of attributes, in order, as texts that are equal exactly where the values are."""
    return [(k, f"graph {digest(v)}" if isinstance(v, Graph) else str(v)) for k, v in sorted(attrs.items())]


def value_keys(graph: Graph) -> dict[str, str]:
    """A hash of each value by its name, equal where the same operators make it of the same inputs and constants."""
    keys: dict[str, str] = {"": ""}
    for position, name in enumerate(graph.inputs):
        keys[name] = f"input {position} {graph.types[name]}"
    for name, array in graph.constants.items():
        keys[name] = f"const {graph.types[name]} {array_digest(array)}"
    for node in graph.nodes:
        head = repr((node.qualified, attribute_texts(node.attrs), node.identity))
        body = _sha("\n".join([head, *(keys[name] for name in node.inputs)]))
        for position, name in enumerate(node.outputs):
            if name:
                keys[name] = f"{body}:{position}"
    return keys


def digest(graph: Graph) -> str:
    """A short hash of the program that does not depend on the names of its values.

    Two graphs have the same digest exactly when they apply the same operators to the same inputs and constants in the
    same wiring. Nodes that no output needs do not count.
    """
    graph = prune(graph)
    keys = value_keys(graph)
    updates = sorted((place, graph.inputs.index(name)) for name, place in graph.updates.items())
    return _sha("\n".join([*(keys[name] for name in graph.outputs), *(f"update {pair}" for pair in updates)]))[:16]


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
