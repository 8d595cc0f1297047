"""The layer law: a package imports only the packages below it, so that each can be read without those above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import polyjuice
from polyjuice.ops import TABLE

PACKAGE = Path(polyjuice.__file__).parent
TESTS = Path(__file__).parents[1]

STANDS_ON = {
    "plugins": "",
    "cache": "",
    "interrupts": "",
    "timelimit": "",
    "wording": "",
    "ddmin": "",
    "ir": "wording",
    "frameworks.registry": "plugins wording",
    "compilers": "frameworks.registry",
    "drawing": "ir plugins",
    "ops": "ir plugins",
    "stored_files": "ir",
    "execution": "compilers cache wording",
    "probes": "compilers cache",
    "interpret": "ops",
    "egraph": "ops",
    "targets": "egraph",
    "generate": "targets cache",
    "frameworks": "interpret execution stored_files",
    "frameworks.torch": "frameworks",
    "frameworks.tensorflow": "frameworks",
    "frameworks.jax": "frameworks",
    "session": "frameworks",
    "numerics": "interpret",
    "equivalence": "numerics",
    "inputs": "numerics compilers",
    "oracles": "frameworks inputs ddmin",
    "pipeline": "oracles session equivalence",
    "packs": "pipeline",
    "support": "pipeline generate probes",
    "triage": "packs egraph timelimit",
    "rulecheck": "egraph inputs generate",
    "campaign": "triage support rulecheck interrupts",
    "suite": "campaign frameworks.torch",
    "page": "suite drawing",
    "cli": "page",
    "__main__": "cli",
}
"""Every package, from the ground up, and the packages right under it. It may also import those under these.

``frameworks`` is what the frameworks share, and ONNX, whose files hold graphs. No other framework imports another.
"""


OF_WORKERS = ("compilers/numpy.py",)
"""Files that no module of the package imports: a worker loads them by their path. They may import all of it."""


def below(package: str) -> set[str]:
    """All packages that a package may import."""
    under = STANDS_ON[package].split()
    return set(under).union(*map(below, under))


def listed(name: str) -> str:
    """The package of the law that has a module: a folder of a framework, or the first part of its name."""
    two = ".".join(name.split(".")[:2])
    return two if two in STANDS_ON else name.split(".")[0]


def imported_packages(source: Path, folder: Path) -> Iterator[tuple[str, int]]:
    """The packages that a file imports, inside its functions too, and the lines of these imports."""
    here = source.relative_to(folder.parent).with_suffix("").parts
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parent = ".".join(here[: -node.level]) if node.level else ""
            module = ".".join(filter(None, [parent, node.module]))
            names = [f"{module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith(f"{folder.name}."):
                yield listed(name.removeprefix(f"{folder.name}.")), node.lineno


def violations(folder: Path) -> list[str]:
    """Every import that breaks the law, and every package that the law does not know, with its place."""
    found = []
    for source in sorted(folder.rglob("*.py")):
        inside = source.relative_to(folder)
        package = listed(".".join(inside.with_suffix("").parts))
        if package == "__init__":  # a function may import higher packages: others pay nothing until they call it
            at_once = {statement.lineno for statement in ast.parse(source.read_text(encoding="utf-8")).body}
            found += [
                f"{inside}:{line}: the package itself imports {other}"
                for other, line in imported_packages(source, folder)
                if line in at_once
            ]
        elif str(inside) in OF_WORKERS:
            continue
        elif package not in STANDS_ON:
            found.append(f"{inside}: the package {package} has no place in the law")
        else:
            found += [
                f"{inside}:{line}: {package} imports {other}, on which it does not stand"
                for other, line in imported_packages(source, folder)
                if other != package and other not in below(package)
            ]
    return found


def test_every_package_stands_only_on_packages_listed_before_it() -> None:
    packages = list(STANDS_ON)
    for number, package in enumerate(packages):
        assert below(package) <= set(packages[:number]), package


def test_a_package_imports_only_what_it_stands_on() -> None:
    assert not violations(PACKAGE), "\n".join(violations(PACKAGE))


def test_no_module_imports_a_file_of_workers() -> None:
    names = {path.removesuffix(".py").replace("/", ".") for path in OF_WORKERS}
    text = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert [path for path in text for name in names if f"polyjuice.{name}" in text[path]] == []


def test_every_package_of_the_law_exists() -> None:
    assert [package for package in STANDS_ON if not any(PACKAGE.glob(f"{package.replace('.', '/')}*"))] == []


def test_the_law_is_enforced(tmp_path: Path) -> None:
    """The test finds each kind of import from above, at its line."""
    folder = tmp_path / "polyjuice"
    for package in ("ir", "egraph", "attic"):
        (folder / package).mkdir(parents=True)
    (folder / "ir" / "graph.py").write_text("def f():\n    from polyjuice.ops import TABLE\n    return TABLE\n")
    (folder / "ir" / "other.py").write_text("import numpy\nimport polyjuice.interpret as i\nfrom . import graph\n")
    (folder / "egraph" / "view.py").write_text("from polyjuice import ops, formats\nfrom ..generate import default\n")
    (folder / "attic" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("from polyjuice import ir\ndef f():\n    from polyjuice import egraph\n")
    assert violations(folder) == [
        "__init__.py:1: the package itself imports ir",
        "attic/__init__.py: the package attic has no place in the law",
        "egraph/view.py:1: egraph imports formats, on which it does not stand",
        "egraph/view.py:2: egraph imports generate, on which it does not stand",
        "ir/graph.py:2: ir imports ops, on which it does not stand",
        "ir/other.py:2: ir imports interpret, on which it does not stand",
    ]


def test_no_test_file_imports_another() -> None:
    """Code that several of them need stands in tests/support."""
    found = [
        f"{path.name}:{node.lineno}"
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (getattr(node, "module", None), *(alias.name for alias in node.names))
        if any(part.startswith("test_") for part in (name or "").split("."))
    ]
    assert not found


_ONNX = """
    control_flow forms/attributes forms/axes forms/operands forms/values interface listing model opaque opsets read
    structure versions write
"""
OPERATORS_NAMED = {
    **{f"frameworks/onnx/{name}.py": "ONNX's forms" for name in _ONNX.split()},
    "frameworks/torch/aten/rules.py": "rules",
    "frameworks/tensorflow/user_program.py": "operators of TensorFlow",
    "frameworks/torch/promotion.py": "what Torch documents of promotion",
    "compilers/onnxruntime.py": "what the compiler documents of an operator",
    "compilers/openvino.py": "what the compiler documents of an operator",
    **{f"compilers/{name}_torch.py": "what Torch documents of an operator" for name in ("openvino", "tvm")},
    "compilers/torch_onnx.py": "what Torch documents of an operator",
    "compilers/_openvino_parts.py": "nodes of OpenVINO",
    "compilers/_torch_memory.py": "gradient functions of Torch",
    "egraph/bounds.py": "relations of rules",
}
"""The files that may hold words like operators' names, and what these words are."""


def test_operators_are_named_in_the_table_in_rules_and_in_forms() -> None:
    """All else follows from entries. The names of ATen's operators count with their domain, as in ``aten.square``."""
    names = {op.qualified for op in TABLE.values() if op.domain or op.name[0].isupper()}
    found = {
        str(path.relative_to(PACKAGE)): node.lineno
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.is_relative_to(PACKAGE / "ops")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in names
    }
    assert {path: line for path, line in found.items() if path not in OPERATORS_NAMED} == {}
    assert sorted(OPERATORS_NAMED.keys() - found.keys()) == []
