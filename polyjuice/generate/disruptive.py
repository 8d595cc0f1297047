"""Disruptive generation: break one constraint of one operator in a valid graph.

HirGen, section 3.1.5. One operand gets a wrong element type or a wrong shape: the operator never takes it,
or not with its other operands or attributes. The wrong operand is an existing value if one has the type, else a new
input. A constraint that the suite has broken before is broken again only if no other can be. The declared types of all
results stay the same.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from polyjuice.generate.suite_record import Memory
from polyjuice.ir import Graph, Node, TensorType, dtypes, prune, without_unused_inputs
from polyjuice.ops import entry, infer
from polyjuice.ops.sampling import size

TYPE, SHAPE = "type", "shape"
"""The kinds of constraints."""


@dataclass(frozen=True, kw_only=True)
class Broken:
    """A graph with one broken constraint, and the operand of the operator that breaks it.

    ``node`` is the name of the operator's first result. ``actual`` is the operand's type, ``due`` a type that would be
    valid.
    """

    graph: Graph
    node: str
    operator: str
    operand: int
    kind: str
    actual: TensorType
    due: TensorType

    def described(self) -> dict[str, str | int]:
        """Return the broken constraint as plain data."""
        return {
            "node": self.node,
            "operator": self.operator,
            "operand": self.operand,
            "kind": self.kind,
            "given": str(self.actual),
            "due": str(self.due),
        }

    def __str__(self) -> str:
        return (
            f"{self.kind} of operand {self.operand} of {self.operator}, which makes {self.node}: "
            f"{self.actual} instead of {self.due}"
        )


def disrupt(graph: Graph, seed: int | str, memory: Memory | None = None) -> Broken | None:
    """Break one constraint of a valid graph; return None if none of its operators has one to break.

    ``memory`` holds what the suite has so far; the broken constraint is added to it.
    """
    rng = random.Random(f"disrupt {seed}")
    memory = memory or Memory()
    places = [(n, i) for n, node in enumerate(graph.nodes) for i, name in enumerate(node.inputs) if name]
    rng.shuffle(places)
    kinds = rng.sample((TYPE, SHAPE), 2)
    chosen: Broken | None = None
    for kind in kinds:
        for number, operand in places:
            for actual in _breaking(graph, graph.nodes[number], operand, kind, rng):
                broken = _with(graph, number, operand, kind, actual, rng)
                if memory.cover({(f"broken {kind}", broken.operator, f"{operand} {actual}")}):
                    return broken
                chosen = chosen or broken
    return chosen


def _breaking(graph: Graph, node: Node, operand: int, kind: str, rng: random.Random) -> Iterator[TensorType]:
    op = entry(node)
    if op is None:
        return
    types = [graph.types[name] for name in node.inputs if name]
    place = sum(map(bool, node.inputs[:operand]))
    due = types[place]
    others = [TensorType(dtype, due.shape) for dtype in dtypes.ALL] if kind == TYPE else _reshaped(due, rng)
    rng.shuffle(others)
    for actual in others:
        try:
            infer(op, [*types[:place], actual, *types[place + 1 :]], node.attrs)
        except (ValueError, IndexError):  # TypeMismatch, ShapeMismatch, attributes of unequal lengths
            yield actual


def _reshaped(t: TensorType, rng: random.Random) -> list[TensorType]:
    """Return types of other shapes: an axis more, an axis less, another size, two axes exchanged."""
    shapes = [(*t.shape, size(rng, t.shape)), (size(rng, t.shape), *t.shape)]
    for axis in range(t.rank):
        shapes.append((*t.shape[:axis], *t.shape[axis + 1 :]))
        shapes.append((*t.shape[:axis], t.shape[axis] + rng.randint(1, 3), *t.shape[axis + 1 :]))
    if t.rank > 1:
        shapes.append((*t.shape[:-2], t.shape[-1], t.shape[-2]))
    return [TensorType(t.dtype, shape) for shape in dict.fromkeys(shapes)]


def _with(graph: Graph, number: int, operand: int, kind: str, actual: TensorType, rng: random.Random) -> Broken:
    node = graph.nodes[number]
    there = [*graph.inputs, *(name for earlier in graph.nodes[:number] for name in earlier.outputs if name)]
    suiting = [name for name in there if graph.types[name] == actual]
    due = graph.types[node.inputs[operand]]
    name = rng.choice(suiting) if suiting else "broken"
    changed = replace(node, inputs=(*node.inputs[:operand], name, *node.inputs[operand + 1 :]))
    whole = replace(
        graph,
        inputs=graph.inputs if suiting else (*graph.inputs, name),
        nodes=(*graph.nodes[:number], changed, *graph.nodes[number + 1 :]),
        types={**graph.types, name: actual},
    )
    whole = without_unused_inputs(prune(whole))
    return Broken(
        graph=whole, node=node.outputs[0], operator=node.qualified, operand=operand, kind=kind, actual=actual, due=due
    )
