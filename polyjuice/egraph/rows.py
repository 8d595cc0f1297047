"""Rows of egglog's tables, which egglog reads from a file.

egglog checks the types of an action, at 30 microseconds each; a row in a file costs a twentieth of that. A file cannot
express a function's floating value, a vector, an e-class or a text with white space. Actions state those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from polyjuice.egraph.bindings import bindings
from polyjuice.egraph.language import ints, number

#: Actions in one rule: egglog's cost of a rule grows faster than its length.
_ACTIONS = 50

Field = int | float | str | tuple[int, ...]

#: A line of numbers and text that a file can hold as it is.
_PLAIN = re.compile(r"[\w.+-]+(\t[\w.+-]+)*", re.ASCII)


class Row(NamedTuple):
    """A row of the table of a relation, or of a function, whose value is then the last field."""

    table: str
    fields: tuple[Field, ...]

    @property
    def line(self) -> str | None:
        """The line that states the row in a file; None where a file cannot express it."""
        if isinstance(self.fields[-1], float) and not self._is_of_relation:
            return None
        text = "\t".join(map(str, self.fields))
        return text + "\n" if _PLAIN.fullmatch(text) and text.count("\t") < len(self.fields) else None

    @property
    def _is_of_relation(self) -> bool:
        return self.table[0].isupper()

    @property
    def action(self) -> str:
        """The action that states the row. The names of relations begin with a capital."""
        if self._is_of_relation:
            return f"({self.table} {' '.join(map(_text, self.fields))})"
        *arguments, value = map(_text, self.fields)
        return f"(set ({self.table} {' '.join(arguments)}) {value})"


def insert(egraph: bindings.EGraph, rows: Iterable[Row]) -> None:
    """State some rows, first those that a file cannot express."""
    lines: dict[str, list[str]] = {}
    actions: list[str] = []
    for row in rows:
        line = row.line
        if line:
            lines.setdefault(row.table, []).append(line)
        else:
            actions.append(row.action)
    for i in range(0, len(actions), _ACTIONS):
        name, body = f"rows-{i}", " ".join(actions[i : i + _ACTIONS])
        program = f"(ruleset {name})(rule () ({body}) :ruleset {name})(run {name} 1)"
        egraph.run_program(*egraph.parse_program(program))
    for table, content in lines.items():
        with NamedTemporaryFile("w", prefix="polyjuice-", suffix=".tsv", encoding="ascii") as file:
            file.write("".join(content))
            file.flush()
            egraph.run_program(bindings.Input(bindings.RustSpan(__file__, 0, 0), table, file.name))


def _text(value: Field) -> str:
    match value:
        case tuple():
            return ints(value)
        case str():
            return f'"{value}"'
        case float():
            return number(value)
        case _:
            return str(value)
