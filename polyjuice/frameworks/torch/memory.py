"""Placement: decide which values lie in an input's memory while a Torch program runs, and when they are written.

A graph says what each updated input holds at the end. Here the choices are when that is written, which intermediate
values share the memory, and whether operators read them there. The dependences decide what is legal:

- The program can write a value into an input once its operands are known.
- The input's earlier content, and whatever may be a view of it, is copied first if it is still needed: by a later
  operator, by a later write, or as a result.
- An operator may write its result over its first operand if no other operand may share that memory. (Elementwise ones
  may have the very same tensor twice.)
- The last value of an input is the last write into it.

A view taken before a write shows the written value, so operators that return views may come before the write.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from polyjuice.frameworks.choosers import Draws
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.source import Writer
from polyjuice.frameworks.torch import writes as torch_writes
from polyjuice.ir import Graph, Node
from polyjuice.ops import Call, entry
from polyjuice.ops.text import filled

# Chances, where the choices are possible.
_OVER = 0.7
_OUT = 0.2
_ON_THE_WAY = 0.15
_READ_THERE = 0.5
_VIEW_BEFORE = 0.5

_CLONES = ("{0}.clone()", "torch.clone({0})", "torch.empty_like({0}).copy_({0})", "{0}.detach().clone()")
_PLACES = "torch.arange({1}, device={0}.device)"
_GATHERED = ("{0}.flip(0).flip(0)", f"torch.index_select({{0}}, 0, {_PLACES})", f"{{0}}[{_PLACES}]")
_COPIES = (*_CLONES, *_GATHERED * 2)
"""Copies of a tensor with axes, given its first size; compilers drop operators that look like identities."""


@dataclass(kw_only=True)
class _Cell:
    """The memory of an input: its name, its last value and the node that computes it (``known``), and what it holds.

    ``near`` are the values that operators or updates connect with the input. ``place`` is its position among inputs
    with the same ``near``. ``due`` is the number of the node after which the last value is written, unless it is there
    already.
    """

    input: str
    name: str
    near: Collection[str]
    place: int
    last: str
    known: int
    due: int
    held: str
    done: bool = False


class Memory:
    """The memory of the inputs that a program updates. A node is identified by its position in ``nodes``."""

    def __init__(self, writer: Writer, nodes: Sequence[Node], contiguous: Collection[str]) -> None:
        """``contiguous`` holds the contiguous inputs."""
        self._writer = writer
        self._graph = graph = writer.graph
        self._nodes = nodes
        self._contiguous = contiguous
        self._read: dict[str, float] = {name: number for number, node in enumerate(nodes) for name in node.inputs}
        self._read |= dict.fromkeys(graph.returned, math.inf)
        """The number of the last node that reads each value; infinity for a result of the program."""
        self._shares: dict[str, set[str]] = {name: {name} for name in graph.inputs}
        self._early: set[int] = set()
        self.forms: list[Form] = []
        made = {name: number for number, node in enumerate(nodes) for name in node.outputs if name}
        self._cells: dict[str, _Cell] = {}
        for name, place in graph.updates.items():
            last = graph.outputs[place]
            known = made.get(last, -1)
            near, numbers = _component(graph, nodes, name)
            steps = [known, *(n for n in numbers if n > known)]
            due = steps[-1 - writer.chooser.about("writing", name).randrange(0, len(steps))]
            place = sum(cell.input in near for cell in self._cells.values())
            self._cells[name] = _Cell(
                input=name, name=writer.names[name], near=near, place=place, last=last, known=known, due=due, held=name
            )

    def is_early(self, number: int) -> bool:
        return number in self._early

    def is_shared(self, value: str) -> bool:
        return bool(self._shares.get(value))

    def puts(self, number: int) -> bool:
        node = self._nodes[number]
        if not torch_writes.puts(entry(node)):
            return False
        return any(self._over(cell, number, "") for cell in self._open(number, node.outputs[0]))

    def holds(self, number: int, text: str) -> bool:
        node = self._nodes[number]
        if len(node.outputs) > 1 or torch_writes.puts(entry(node)):
            return False
        cells = self._open(number, node.outputs[0])
        return any(self._over(cell, number, text) or self._out(cell, number, text) for cell in cells)

    def after(self, number: int) -> None:
        results = [name for name in self._nodes[number].outputs if name] if number >= 0 else []
        for name in results:
            operands = [] if name in self._writer.fresh else self._nodes[number].inputs
            shared = {root for operand in operands for root in self._shares.get(operand, ())}
            self._shares.setdefault(name, shared)
        for cell in self._cells.values():
            if cell.due == number and not cell.done:
                self._write(cell, cell.last, number)
        for name in results:
            for cell in self._open(number + 1, name) if name in self._read else ():
                alike = self._graph.types[name] == self._graph.types[cell.input] and cell.held != name
                if alike and self._draws(name, cell).chance(_ON_THE_WAY):
                    self._write(cell, name, number)

    def _open(self, number: int, value: str) -> Iterator[_Cell]:
        """Yield the memory into which a node may write a near value, unless the last value is known before the node."""
        cells = self._cells.values()
        return (cell for cell in cells if value in cell.near and not cell.done and number <= cell.known)

    def _draws(self, value: str, cell: _Cell) -> Draws:
        return self._writer.chooser.about(f"memory {cell.place}", value)

    # --- operators ----------------------------------------------------------------------------------------------------

    def _over(self, cell: _Cell, number: int, text: str) -> bool:
        """Write a node's result over its first operand, if that lies in the input."""
        node = self._nodes[number]
        operands = [name for name in node.inputs if name]
        (result,), op = node.outputs, entry(node)
        if op is None or not operands or operands[0] != cell.held or self._writer.names[cell.held] != cell.name:
            return False
        alike = self._graph.types[result] == self._graph.types[cell.input]
        if not alike or (cell.held in operands[1:] and not op.elementwise):
            return False
        draws = self._writer.chooser.about("over", result)
        if not draws.chance(_OVER, plain=False):
            return False
        form, t = "by its operator", self._graph.types[cell.input]
        if torch_writes.puts(entry(node)):
            form, statements = torch_writes.part(node, cell.name, self._writer.tensor(operands[1]), t, draws)
        else:
            statements = torch_writes.over(text, cell.name, t, draws, splits=op.elementwise)
        if not statements:
            return False
        self._spare(cell, number, now=set(operands[1:]) - {cell.held})
        self._hold(cell, result, statements, form)
        return True

    def _out(self, cell: _Cell, number: int, text: str) -> bool:
        node = self._nodes[number]
        (result,) = node.outputs
        statement = torch_writes.into(text, cell.name)
        alike = self._graph.types[result] == self._graph.types[cell.input]
        if not statement or not alike or any(cell.input in self._shares.get(name, ()) for name in node.inputs):
            return False
        if not self._writer.chooser.about("out", result).chance(_OUT):
            return False
        self._spare(cell, number)
        self._hold(cell, result, [statement], "out=")
        return True

    def _hold(self, cell: _Cell, value: str, statements: Sequence[str], form: str) -> None:
        for statement in statements:
            self._writer.emit(statement)
        self.forms.append((torch_writes.UPDATE, form))
        self._writer.names[value] = cell.name
        self._shares[value] = {cell.input}
        cell.held = value
        cell.done = value == cell.last

    # --- writes -------------------------------------------------------------------------------------------------------

    def _write(self, cell: _Cell, value: str, number: int) -> None:
        if cell.held == value:
            cell.done = value == cell.last
            return
        draws = self._draws(value, cell).named("written")
        self._spare(cell, number, keep={value})
        copy = ""
        if value in self._writer.numbers:
            text, dtype = self._writer.numbers[value], self._graph.types[value].dtype
            form, statements = torch_writes.filled(cell.name, text, dtype, draws)
        else:
            source = self._writer.tensor(value)
            if cell.input in self._shares.get(value, ()):
                source = copy = self._writer.let(f"{source}.clone()")
            contiguous = cell.input in self._contiguous
            form, statements = torch_writes.whole(cell.name, source, self._graph.types[value], contiguous, draws)
        self._views_before(cell, value, number)
        name, shares = copy or self._writer.names[value], set() if copy else self._shares.get(value, set())
        self._hold(cell, value, statements, form)
        if not draws.chance(_READ_THERE, plain=False):
            self._writer.names[value], self._shares[value] = name, shares

    def _views_before(self, cell: _Cell, value: str, number: int) -> None:
        """Sometimes take views before the write that later operators take of the written value."""
        for later, node in enumerate(self._nodes[number + 1 :], number + 1):
            if not node.inputs or node.inputs[0] != value or later in self._early or len(node.outputs) > 1:
                continue
            (result,), op = node.outputs, entry(node)
            if not op or not op.view or not op.view(node.attrs, cell.input in self._contiguous):
                continue
            draws, types = self._writer.chooser.about("view before", result), self._graph.types
            call = Call([cell.name], [types[value]], [types[result]], node.attrs, draws, self._writer.let, own=[True])
            text = filled(call, op.texts("torch"))
            if isinstance(text, str) and draws.chance(_VIEW_BEFORE, plain=False):
                self._writer.emit(f"{self._writer.names[result]} = {text}")
                self._shares[result] = {cell.input}
                self._early.add(later)
                self.forms.append((torch_writes.UPDATE, "a view taken before"))

    def _spare(self, cell: _Cell, number: int, keep: Collection[str] = (), now: Collection[str] = ()) -> None:
        """Copy values in an input's memory, or possible views of it, that are needed after a node, or ``now`` by it."""
        for value, roots in self._shares.items():
            if cell.input not in roots or value in keep or not (value in now or self._is_needed(value, number)):
                continue
            name = self._writer.names[value]
            copy = self._copy(value)
            if name == cell.name:
                self._writer.names[value] = self._writer.let(copy)
            else:  # existing statements may name it
                self._writer.emit(f"{name} = {copy}")
            self._shares[value] = set()

    def _copy(self, value: str) -> str:
        shape, draws = self._graph.types[value].shape, self._writer.chooser.about("copying", value)
        form = draws.choice(_COPIES if shape else _CLONES)
        return form.format(self._writer.names[value], *shape[:1])

    def _is_needed(self, value: str, number: int) -> bool:
        pending = (cell.last == value and not cell.done for cell in self._cells.values())
        return self._read.get(value, -1) > number or any(pending)


def _component(graph: Graph, nodes: Sequence[Node], name: str) -> tuple[set[str], list[int]]:
    """Return what is connected with a value, so that a program is written the same in a pack and alone."""
    links = [{*filter(None, (*node.inputs, *node.outputs))} - graph.constants.keys() for node in nodes]
    links += [{name, graph.outputs[place]} for name, place in graph.updates.items()]
    reached, grown = {name}, True
    while grown:
        grown = False
        for link in links:
            if not link.isdisjoint(reached) and not link <= reached:
                reached |= link
                grown = True
    return reached, [number for number, link in enumerate(links[: len(nodes)]) if not link.isdisjoint(reached)]
