"""Which operators need not run again on a framework, because nothing that their entries come from has changed.

``unchanged.json`` holds a digest for each module of operators and each suite of tests. The digest covers the code of
the module, of the modules of ``polyjuice/ops`` that it imports, and the framework's version. Where the digest differs,
``make test`` runs the module's operators again. One operator in ``ALWAYS`` runs each time, because the digest does not
cover the code that all operators share, such as lowering. The long tests run the others. To run all operators and
write the digests of those that pass: ``pytest -n 0 -m operator --update-operators``.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import pytest

from polyjuice import numerics, ops
from tests.support.shares import in_share

FILE = Path(__file__).parents[1] / "frameworks/unchanged.json"

ALWAYS = 8
"""One operator in this many runs each time. Its name decides."""

DISTRIBUTIONS = {
    "torch": ("torch",),
    "onnx": ("onnxruntime", "onnx"),
    "tensorflow": ("tensorflow-cpu", "tensorflow"),
    "jax": ("jax", "jaxlib"),
    "numpy": ("numpy", "ml_dtypes"),
}
"""The packages whose versions count, by framework."""

_FURTHER = {"numpy": Path(numerics.__file__).parent}
"""Folders that count, too: NumPy's results are compared with the bounds."""

_OPS = Path(ops.__file__).parent

_FAMILIES = {
    op.qualified: name.removeprefix("polyjuice.ops.")
    for name, module in list(sys.modules.items())
    if name.startswith("polyjuice.ops.")
    for op in getattr(module, "OPS", ())
}
"""The module of each operator's entry."""


class Unchanged:
    """The committed digests, and the operators whose tests have passed."""

    def __init__(self, table: Mapping[str, Mapping[str, str]]) -> None:
        self._table = table
        self._asked: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._passed: set[tuple[str, str]] = set()

    def marks(self, suite: str, name: str) -> tuple[pytest.MarkDecorator, ...]:
        """The marks of the test of an operator. A suite's first word is the framework."""
        module = _FAMILIES[name]
        self._asked[module, suite].add(name)
        changed = self._table.get(module, {}).get(suite) != digest(module, suite.split()[0])
        runs = changed or in_share(name, ALWAYS)
        return (pytest.mark.operator,) if runs else (pytest.mark.operator, pytest.mark.long)

    def passed(self, suite: str, name: str) -> None:
        """Say that a test of an operator has passed."""
        self._passed.add((suite, name))

    def render(self) -> str:
        """The text of the table, with the digests of the modules whose operators have all passed."""
        table = {module: dict(row) for module, row in self._table.items() if module in _FAMILIES.values()}
        for (module, suite), names in self._asked.items():
            if all((suite, name) in self._passed for name in names):
                table.setdefault(module, {})[suite] = digest(module, suite.split()[0])
        rows = (f"{json.dumps(module)}: {json.dumps(table[module], sort_keys=True)}" for module in sorted(table))
        return "{\n" + ",\n".join(rows) + "\n}\n"


UNCHANGED = Unchanged(json.loads(FILE.read_text(encoding="utf-8")))


@functools.cache
def digest(module: str, framework: str) -> str:
    files = set(sources(_OPS / f"{module}.py"))
    if framework in _FURTHER:
        files.update(_FURTHER[framework].glob("*.py"))
    parts = [*map(_code, sorted(files)), *map(_version, DISTRIBUTIONS[framework])]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()[:8]


@functools.cache
def _code(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


@functools.cache
def sources(file: Path) -> frozenset[Path]:
    """A file of ``polyjuice/ops``, and those that it imports, directly or through another."""
    found, left = set(), [file]
    while left:
        found.add(one := left.pop())
        for node in ast.walk(ast.parse(one.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("polyjuice.ops."):
                parts = f"{node.module}.".split(".")[2:-1] or [alias.name for alias in node.names]
                left += {path for part in parts if (path := _OPS / f"{part}.py").exists()} - found
    return frozenset(found)
