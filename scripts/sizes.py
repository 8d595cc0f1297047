"""Print the size of each package: files, lines, lines of code, and the median length of its functions in lines.

A line of code has a token that is neither a comment nor part of the docstring of a module, class or function.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("polyjuice", "tests", "benchmarks", "scripts")
ROW = "{:32} {:>6} {:>8} {:>8} {:>16}"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTIONS)
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def packages() -> Iterator[tuple[str, list[Path]]]:
    """Yield the files of each package and, after a folder's packages, those of the folder."""
    for folder in FOLDERS:
        every = sorted((ROOT / folder).rglob("*.py"))
        by_package: dict[str, list[Path]] = {}
        for path in every:
            by_package.setdefault("/".join(path.relative_to(ROOT).parts[:2]), []).append(path)
        yield from ((name, files) for name, files in by_package.items() if (ROOT / name).is_dir())
        yield folder, every


def code_lines(text: str) -> int:
    """Return the number of lines of code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            lines.difference_update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return len(lines)


def functions(text: str) -> list[int]:
    """Return the number of lines of each function."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, FUNCTIONS))
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in found]


def main() -> None:
    """Print the table of sizes."""
    print(ROW.format("package", "files", "lines", "code", "median function"))
    for name, files in packages():
        texts = [path.read_text(encoding="utf-8") for path in files]
        lengths = [length for text in texts for length in functions(text)]
        lines = sum(len(text.splitlines()) for text in texts)
        code = sum(map(code_lines, texts))
        print(ROW.format(name, len(files), lines, code, round(median(lengths)) if lengths else "-"))


if __name__ == "__main__":
    main()
