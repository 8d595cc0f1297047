"""The table ``unsupported.txt``: lowered programs that uncompiled frameworks do not run.

Lines without indentation name a framework. Under it stand the reasons. Under each reason stand the element types (of
the first operand) and the operators: "never" if nothing ran, "partly" if some programs did.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from pathlib import Path
from textwrap import wrap
from typing import Literal

import pytest

from polyjuice.execution.broken import misspelt
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.ir import Graph, dtypes
from polyjuice.ops import TABLE

Cell = tuple[str, str, str]
"""A framework, an operator and the element type of its first operand."""

Extent = Literal["never", "partly"]

Holes = Set[tuple[Extent, str]]
"""The unsupported programs of a cell: their extent ("never" or "partly"), and the reasons."""

Table = Mapping[Cell, Holes]

FILE = Path(__file__).parents[1] / "frameworks/unsupported.txt"

_HEAD = """\
# What frameworks do not run, uncompiled, of the programs that Polyjuice writes for one operator, and why.
# "never": nothing ran in these element types of the first operand. "partly": some applications or texts ran.
# Tests compare this table with what happens. Write it anew with the frameworks that constraints.txt names:
#   pytest tests -k test_a_framework_gives_the_operator_its_meaning -m "long or not long" -n 0 --update-unsupported
"""


def read() -> dict[Cell, Holes]:
    return parse(FILE.read_text(encoding="utf-8"))


def parse(text: str) -> dict[Cell, Holes]:
    cells: dict[Cell, set[tuple[Extent, str]]] = defaultdict(set)
    for framework, reason, extent, types, names in _lines(text):
        for name in names.split():
            for dtype in types:
                cells[framework, name, dtype].add((extent, reason))
    return {cell: frozenset(found_there) for cell, found_there in cells.items()}


def _lines(text: str) -> Iterator[tuple[str, str, Extent, list[str], str]]:
    """Framework, reason, extent, element types and operators of each entry."""
    framework = reason = ""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in re.sub(r"\n {8,}", " ", "\n".join(lines)).splitlines():
        match len(line) - len(line.lstrip()):
            case 0:
                framework = line
            case 2:
                reason = line.strip()
            case _:
                where, operators = line.strip().split(": ")
                extent, *types = where.split()
                assert extent in ("never", "partly"), line
                yield framework, reason, "never" if extent == "never" else "partly", types, operators


def operators(dtype: str) -> list[str]:
    """The operators whose first operand may have an element type."""
    return [op.qualified for op in TABLE.values() if dtype in op.types[op.variable(0)]]


def render(table: Table) -> str:
    lines = [_HEAD]
    for framework in sorted({framework for framework, *_ in table}):
        lines.append(framework)
        cells = {cell: found_there for cell, found_there in table.items() if cell[0] == framework}
        for reason in sorted({reason for found_there in cells.values() for _, reason in found_there}):
            lines += [f"  {reason}", *_entries(framework, reason, cells)]
    return "\n".join(lines) + "\n"


def _entries(framework: str, reason: str, cells: Table) -> Iterator[str]:
    for extent in ("never", "partly"):
        types: dict[str, list[str]] = defaultdict(list)
        for _, name, dtype in sorted(cells, key=lambda cell: dtypes.EVERY.index(cell[2])):
            if (extent, reason) in cells[framework, name, dtype]:
                types[name].append(dtype)
        names: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name in sorted(types):
            names[tuple(types[name])].append(name)
        for some, alike in names.items():
            line = f"    {extent} {' '.join(some)}: {' '.join(alike)}"
            yield from wrap(line, 118, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)


def differences(expected: Table, found: Table) -> list[str]:
    """Messages about unsupported programs that the table lacks, and about entries that are out of date."""
    lines = []
    for cell, found_there in found.items():
        listed = expected.get(cell, frozenset())
        lines += [
            f"{' '.join(cell)} {extent} runs, which the table lacks: {why}"
            for extent, why in sorted(found_there - listed)
        ]
        lines += [
            f"{' '.join(cell)} {extent} runs, says the table, but no longer: {why}"
            for extent, why in sorted(listed - found_there)
        ]
    return lines


def cells(framework: str, graph: Graph) -> list[Cell]:
    return [
        (framework, node.qualified, graph.types[name].dtype)
        for node in graph.nodes
        for name in filter(None, (*node.inputs, *node.outputs))
    ]


class Unsupported:
    """The committed table, as tests use it. With ``update`` it takes over what the tests find."""

    def __init__(self, update: bool = False) -> None:
        self._table = read()
        self._update = update

    def compare(self, found: Table) -> None:
        """Fail unless the table agrees with what a test found for some cells. With ``update``, change the table."""
        if self._update:
            self._table.update(found)
        elif lines := differences(self._table, found):
            pytest.fail(
                "\n".join([*lines, f"If that is right, write {FILE.name} anew, as its first lines say."]), False
            )

    def never_runs(self, cell: Cell) -> bool:
        """Whether nothing runs in a cell."""
        return any(extent == "never" for extent, _ in self._table.get(cell, ()))

    def reasons(self, cell: Cell) -> set[str]:
        """The reasons for a cell."""
        return {why for _, why in self._table.get(cell, ())}

    def explains(self, error: Exception, cells: Iterable[Cell]) -> bool:
        """Whether one of the cells has the reason of an error."""
        return not is_fault(error) and any(reason(error, cell[1]) in self.reasons(cell) for cell in cells)

    def write(self) -> None:
        """Write the table to its file, if ``update`` was set."""
        if self._update:
            there = {cell: found_there for cell, found_there in self._table.items() if cell[1] in operators(cell[2])}
            FILE.write_text(render(there), encoding="utf-8")


_LACKS_KERNEL = re.compile(
    r"NOT_IMPLEMENTED : Could not find an implementation for (\w+)\(|Could not find device for node: \{\{node (\w+)\}\}"
)
"""The messages of ONNX Runtime and TensorFlow for an operator without a kernel in an element type."""

_FAULTS = ("InvalidGraph", "InvalidProtobuf", "InvalidArgument", "AssertionError")
"""The errors of ONNX Runtime for invalid models, and the errors of Polyjuice."""


def is_fault(error: Exception) -> bool:
    """Whether an error means an invalid program, which is no reason to be unsupported."""
    kind = type(error).__name__
    return kind in _FAULTS or misspelt(f"{kind}: {error}")


def reason(error: Exception, operator: str) -> str:
    """The reason why a framework or a format does not take a program of one operator, without details that vary."""
    text = str(error).strip().partition("\n")[0]
    if isinstance(error, Unlowerable):
        return "cannot be said: " + _plain(re.sub(r"^node .+?\): (\S+ has no \w+ text: )?", "", text))
    if found := _LACKS_KERNEL.search(text):
        kernel = found[1] or found[2]
        return "no kernel" if kernel == operator else f"no kernel of {kernel}"
    return _plain(f"{type(error).__name__}: {_ENVELOPE.sub('', text)}")


def _plain(text: str) -> str:
    text = re.sub(r"0x[0-9a-f]+|(?<![\w.])-?\d+(\.\d+)?(e[+-]?\d+)?\b", "N", text)
    return " ".join(text.split())[:_LENGTH].strip()


_ENVELOPE = re.compile(r"^\[ONNXRuntimeError\] : \d+ : (.* Status Message: )?")
"""The prefix of messages from ONNX Runtime's kernels."""

_LENGTH = 110
"""The most characters of a reason."""
