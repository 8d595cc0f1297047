"""How often each form of each operator occurs in the artifacts of generated graphs: none may be at zero.

    python benchmarks/forms.py --format onnx     # artifacts/forms.json, artifacts/forms.md; the other format stays
    python benchmarks/forms.py --format torch

Lowers generated graphs of operators that the format has: 2,000 of each strategy that a default campaign uses for it.
Counts the forms that the artifacts name. The exit status is 1 if a form that the format declares occurs in none.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import product
from pathlib import Path

from polyjuice.campaign.kinds import COMPLEX, LARGE, SMALL, STATEMENTS
from polyjuice.generate import Turn, generate
from polyjuice.lower import DEFAULT_OPSET, DRAWN_OPSET, FORMS, Unlowerable, lower
from polyjuice.ops import TABLE
from polyjuice.suite.lowering import Lowering

_ARTIFACTS = Path(__file__).parent.parent / "artifacts"
_NODES = (10, 50, 100)
"""The operators of larger graphs; small programs have as many as their strategy draws."""

_STRATEGIES = {"onnx": (LARGE, SMALL), "torch": (LARGE, SMALL, STATEMENTS, COMPLEX)}
_SEED = 0

Table = Mapping[str, Mapping[str, int]]
"""The number of uses of each form, by operator and form."""


def main() -> int:
    """Count the forms of one format, and write the tables. Return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--format", choices=sorted(FORMS), default="onnx")
    parser.add_argument("-n", type=int, default=2000, help="graphs of each strategy (default: 2000)")
    parser.add_argument("--out", type=Path, default=_ARTIFACTS, help="the folder of forms.json and forms.md")
    arguments = parser.parse_args()
    counted = count(arguments.format, arguments.n)
    tables = _stored(arguments.out / "forms.json")
    tables[arguments.format] = {"graphs": arguments.n, "forms": as_table(counted)}
    (arguments.out / "forms.json").write_text(json.dumps(tables, indent=1, sort_keys=True) + "\n", "utf-8")
    (arguments.out / "forms.md").write_text(as_markdown(tables), "utf-8")
    missing = sorted(form for form, times in counted.items() if not times)
    for operator, name in missing:
        print(f"never: {operator}: {name}")
    print(f"{len(counted)} forms, {len(missing)} of them never")
    return int(bool(missing))


def count(format: str, graphs: int) -> Counter[tuple[str, str]]:
    """Count the uses of each declared form in a number of generated graphs of each strategy."""
    counted = Counter(dict.fromkeys(FORMS[format], 0))
    lowering = Lowering(DEFAULT_OPSET, [])
    for strategy, number in product(_STRATEGIES[format], range(graphs)):
        key = f"{_SEED}/{number}/0"
        nodes, turn = _NODES[number % len(_NODES)], Turn(_SEED, number)
        operators = [*TABLE.values()] if strategy == COMPLEX else None
        graph = generate(nodes, key, partial(lowering.spells, format), None, strategy, turn, operators)
        try:
            counted.update(lower(graph, format, key, opset=DRAWN_OPSET).forms)
        except Unlowerable:
            continue
    return counted


def as_table(counted: Mapping[tuple[str, str], int]) -> Table:
    """Return the counts by operator, then by form."""
    table: dict[str, dict[str, int]] = {}
    for (operator, name), times in sorted(counted.items()):
        table.setdefault(operator, {})[name] = times
    return table


def as_markdown(tables: Mapping[str, Mapping[str, Table]]) -> str:
    """Return one Markdown table for each format, with one line for each operator."""
    lines = ["# Forms of operators in generated graphs", "", "Made by `python benchmarks/forms.py`."]
    for format, counted in sorted(tables.items()):
        strategies = ", ".join(_STRATEGIES[format])
        lines += [
            "",
            f"## {format}",
            "",
            f"Uses in {counted['graphs']:,} generated graphs of each of {strategies}.",
            "",
        ]
        lines += ["| operator | forms |", "|---|---|"]
        for operator, forms in counted["forms"].items():
            lines.append(f"| {operator} | {', '.join(f'{name} {times:,}' for name, times in forms.items())} |")
    return "\n".join(lines) + "\n"


def _stored(path: Path) -> dict[str, Mapping[str, Table]]:
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


if __name__ == "__main__":
    sys.exit(main())
