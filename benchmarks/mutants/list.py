"""Print the faults as the tables of README.md: name, what goes wrong, and the source.

python benchmarks/mutants/list.py
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

FAULTS = Path(__file__).parent / "faults"
MODELLED_ON = re.compile(r"^Modelled on: (.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Print the tables."""
    print(tables())


def tables() -> str:
    """Return the tables of all compilers, in Markdown."""
    return "\n\n".join(table(folder) for folder in sorted(FAULTS.iterdir()))


def table(folder: Path) -> str:
    """Return the table of one compiler, with one fault on each line."""
    rows = [row(path) for path in sorted(folder.glob("*.py"))]
    return "\n".join(
        [f"## {folder.name}: {len(rows)}", "", "| name | what goes wrong | source |", "|---|---|---|", *rows]
    )


def row(path: Path) -> str:
    """Return a fault's line, made from its docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    source = MODELLED_ON.search(text)
    # The text before the first colon is the place in the paper; the rest describes the bug there.
    place = " ".join(source[1].split()).partition(":")[0].rstrip(".") if source else ""
    cells = [path.stem, text.partition("\n")[0], place]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    main()
