"""Print the size of each package: its files, lines, and the median length of its functions in lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("polyjuice", "tests", "benchmarks", "scripts")
ROW = "{:32} {:>6} {:>8} {:>16}"


def packages() -> Iterator[tuple[str, list[Path]]]:
    """Yield the files of each package and, after a folder's packages, those of the whole folder."""
    for folder in FOLDERS:
        whole = sorted((ROOT / folder).rglob("*.py"))
        by_package: dict[str, list[Path]] = {}
        for path in whole:
            by_package.setdefault("/".join(path.relative_to(ROOT).parts[:2]), []).append(path)
        yield from ((name, files) for name, files in by_package.items() if (ROOT / name).is_dir())
        yield folder, whole


def functions(text: str) -> list[int]:
    """Return the number of lines of each function."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [(n.end_lineno or n.lineno) - n.lineno + 1 for n in ast.walk(ast.parse(text)) if isinstance(n, kinds)]


def main() -> None:
    """Print the table of sizes."""
    print(ROW.format("package", "files", "lines", "median function"))
    for name, files in packages():
        texts = [path.read_text(encoding="utf-8") for path in files]
        lengths = [length for text in texts for length in functions(text)]
        lines = sum(len(text.splitlines()) for text in texts)
        print(ROW.format(name, len(files), lines, round(median(lengths)) if lengths else "-"))


if __name__ == "__main__":
    main()
