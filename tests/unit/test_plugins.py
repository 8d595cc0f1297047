"""Operators, rule files, oracles, compilers and formats: one file each, here or in another package."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import polyjuice
from polyjuice import compilers, plugins
from polyjuice.egraph import RuleError, load
from polyjuice.frameworks import registry
from polyjuice.frameworks.registry import Part
from polyjuice.frameworks.rendering import Rendering
from polyjuice.ops import TABLE
from polyjuice.ops.table import register_further
from polyjuice.oracles import KINDS, ORACLES, Kind, Oracle
from tests.support.commands import polyjuice_alone, refusal
from tests.support.plugins import declared

CUBE = """
from polyjuice.ops.pointwise import defined
from polyjuice.ops.text import spell

OPS = [
    defined("cube", lambda x, a: x * x * x, spell("{0} * {0} * {0}", tf="tf.pow({0}, 3)", jax="jnp.power({0}, 3)")),
]
"""
"""An operator of the real numbers: a definition, and texts in three frameworks."""

PRODUCTS = '(rewrite (aten.cube x) (Mul (Mul x x) x) :ruleset real :name "cube-as-products") ; x^3 = x x x\n'


def with_rule(site: Path, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Declare a module with a rule file beside it, and let this process find it."""
    declared(site, "polyjuice.rules", "ours", "raise AssertionError('it is only located')")
    if rule:
        (site / "ours_plugin.egg").write_text(rule)
    monkeypatch.syspath_prepend(str(site))


def test_a_name_with_its_domain_is_the_same_operator() -> None:
    op = TABLE["aten", "tanhshrink"]
    assert replace(op, name="aten.tanhshrink").qualified == "aten.tanhshrink"
    assert replace(op, name="add.Scalar").qualified == "aten.add.Scalar"


def test_an_operator_of_another_package_is_tested_as_any_other(tmp_path: Path) -> None:
    env = declared(tmp_path / "site", "polyjuice.operators", "cube", CUBE)
    rules = tmp_path / "cube.egg"
    rules.write_text(PRODUCTS)
    chosen = ["--only-operator", "aten.cube", "--rules", rules, "--only-rule", "cube-as-products"]
    options = ["-n", 3, "--workers", 1, *chosen]
    done = polyjuice_alone("fuzz", "--compiler", "numpy", *options, "--out", tmp_path / "c", "--json", env=env)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["tested"] + summary["skipped"], summary["findings"]) == (3, 0)
    assert summary["coverage"]["type"]["covered"] >= 1  # of aten.cube, the only operator


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "import nothing_of_this_name",
            "cannot be loaded: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
        ("", "the module has no OPS"),
        ("OPS = ['cube']", "OPS must be a list of operators (Op)"),
        ("from polyjuice.ops import TABLE\nOPS = [TABLE['', 'Relu']]", "the operator Relu has two entries"),
    ],
    ids=["no such import", "no operators", "a text", "an operator that exists"],
)
def test_a_wrong_operator_is_named_with_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    declared(tmp_path, "polyjuice.operators", "cube", code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "cube_plugin", raising=False)
    (problem,) = register_further()
    assert problem.startswith("the entry point cube = cube_plugin of polyjuice.operators")
    assert words in problem


def test_commands_refuse_to_run_without_an_operator_of_another_package(tmp_path: Path) -> None:
    done = polyjuice_alone("ops", env=declared(tmp_path, "polyjuice.operators", "cube", ""))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "cube_plugin" in done.stderr


def test_the_rule_file_of_another_package_is_read_and_its_code_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_rule(
        tmp_path, '(rewrite (Neg (Neg (Neg x))) (Neg x) :ruleset exact :name "thrice") ; -(-(-x)) = -x\n', monkeypatch
    )
    (rule,) = load(only=["thrice"])
    assert (rule.added, rule.file) == (True, tmp_path / "ours_plugin.egg")
    assert "thrice" not in {
        rule.name for rule in load([tmp_path / "ours_plugin.egg"], defaults=False) if not rule.added
    }


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("", "the entry point ours = ours_plugin of polyjuice.rules: there is no .egg file"),
        ('(rewrite (Neg x) x :ruleset exact :name "mul-by-one")\n', "rename one"),
        ("(rewrite (Neg x) x)\n", "ours_plugin.egg:1"),
    ],
    ids=["none", "a name that is taken", "a mistake"],
)
def test_a_wrong_rule_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, words: str) -> None:
    taken = next(one.name for one in load())
    with_rule(tmp_path, rule.replace("mul-by-one", taken), monkeypatch)
    with pytest.raises(RuleError, match=r"ours") as problem:
        load()
    assert words in str(problem.value)


PACKAGE = Path(polyjuice.__file__).parent

PLUGIN = """
from polyjuice.oracles import {imports}

ODD = Kind(name={kind!r}, title="odd", claim="A is odd.", predicate="is odd", why="It must be even.",
           ending=ending("sys.exit(1)"))
ORACLE = Oracle(name={name!r}, help="odd programs", kinds=(ODD,), judge=lambda case, access: []{more})
"""


def plugin(name: str = "odd", kind: str = "odd", more: str = "", imports: str = "Kind, Oracle, ending") -> str:
    return PLUGIN.format(name=name, kind=kind, more=more, imports=imports)


def test_an_oracle_has_the_name_of_its_file() -> None:
    assert all((PACKAGE / "oracles" / f"{name}.py").is_file() for name in ORACLES)
    assert len({oracle.rank for oracle in ORACLES.values()}) == len(ORACLES)


def test_an_oracle_outside_of_the_package_is_found_by_its_entry_point(tmp_path: Path) -> None:
    env = declared(tmp_path, "polyjuice.oracles", "odd", plugin())
    message = refusal("--compiler", "numpy", "--oracle", "even", env=env)
    assert message.endswith("device, odd")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (plugin(imports="Kind, Oracle, nothing"), "cannot be loaded: ImportError: cannot import name 'nothing'"),
        (plugin(more=", kind=ODD"), "TypeError: Oracle.__init__() got an unexpected keyword argument 'kind'"),
        ("", "the module has no ORACLE"),
        (plugin(name="other"), "its entry point must have its name, 'other'"),
        (plugin(more=", usual=True"), "only oracles of Polyjuice itself judge by default"),
        (plugin(kind="slow"), "its kind 'slow' is one of Polyjuice itself"),
    ],
    ids=["no such import", "a misspelt field", "no oracle", "another name", "usual", "a kind that exists"],
)
def test_a_wrong_oracle_is_named_with_its_module(tmp_path: Path, code: str, words: str) -> None:
    env = declared(tmp_path, "polyjuice.oracles", "odd", code)
    message = refusal("--compiler", "numpy", "--oracle", "odd", env=env, cwd=tmp_path)
    assert message.startswith("the entry point odd = odd_plugin of polyjuice.oracles")
    assert words in message


def test_a_kind_says_what_its_reports_need() -> None:
    with pytest.raises(ValueError, match=r"the kind 'odd' has no predicate and no why and no ending"):
        Kind(name="odd", title="odd", claim="A is odd.")
    with pytest.raises(ValueError, match=r"the oracle 'odd' has no kinds"):
        Oracle(name="odd", help="odd programs", kinds=(), judge=lambda case, access: [])
    with pytest.raises(ValueError, match=r"the oracle 'odd' judges values and has no claim"):
        Oracle(name="odd", help="odd programs", kinds=(KINDS["mismatch"],), judge=lambda case, access: [])


OWN = ("jax", "onnx", "tensorflow", "torch")


@pytest.mark.parametrize("name", OWN)
def test_each_part_of_a_format_can_be_loaded(name: str) -> None:
    """The parts that import a framework are only located here."""
    assert registry.names() == OWN
    found = registry.find(name)
    assert found.name == name
    parts = {field.name: getattr(found, field.name) for field in fields(found)}
    loaded = {key: parts[key].load() for key in ("lower", "rendering")}
    assert callable(loaded["lower"])
    assert isinstance(loaded["rendering"], Rendering)
    for part in parts.values():
        if isinstance(part, Part):
            module, _, attribute = part.place.partition(":")
            assert re.search(rf"^(def |class )?{attribute}\b", Path(find_spec(module).origin).read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", ["tflite", "__init__"])
def test_an_unknown_format_is_an_error(name: str) -> None:
    with pytest.raises(KeyError):
        registry.find(name)


def named_in(names: Iterable[str], folder: str, suffixes: tuple[str, ...], around: str) -> list[str]:
    """The places outside of a folder of the package where a file names one of some objects."""
    pattern = re.compile(around.replace("NAMES", "|".join(sorted(names))))
    return [
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in suffixes and path.parent.name != folder
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]


def test_no_other_file_names_an_oracle_or_a_compiler() -> None:
    # Also a part of an outcome, an attribute, an option of workers, and a word for what compilers do.
    oracles = {*ORACLES, *KINDS} - {"memory", "strides", "device", "passes"}
    assert not named_in(oracles, "oracles", (".py", ".md", ".html", ".js"), r"([\"'])(?:NAMES)\1")
    names = {*compilers.names()} - {"eager", "numpy"} - {*registry.names()}  # these are also words, or formats
    assert not named_in(names, "compilers", (".py", ".html", ".js"), r"([\"'`])(?:NAMES)\1|--compiler (?:NAMES)")


@pytest.mark.parametrize(
    ("clone", "origin", "source"),
    [
        (True, None, "'{folder}[tvm]'"),
        (False, {"url": "file://{folder}", "dir_info": {}}, "'{folder}[tvm]'"),
        (False, {"url": "file:///no/longer/there", "dir_info": {}}, "'polyjuice-fuzzer[tvm]'"),
        (
            False,
            {"url": "https://example.com/p.git", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            "'polyjuice-fuzzer[tvm] @ git+https://example.com/p.git@c0ffee'",
        ),
        (
            False,
            {"url": "https://example.com/p.zip", "archive_info": {}},
            "'polyjuice-fuzzer[tvm] @ https://example.com/p.zip'",
        ),
        (False, None, "'polyjuice-fuzzer[tvm]'"),
    ],
    ids=["a clone", "a folder", "a folder that is gone", "a repository", "an archive", "the index"],
)
def test_a_hint_installs_from_where_polyjuice_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clone: bool, origin: dict[str, Any] | None, source: str
) -> None:
    """Each kind of installation as pip records it, in a folder of packages that comes first."""
    folder = tmp_path / "a folder"
    info = folder / "polyjuice_fuzzer-9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: polyjuice-fuzzer\nVersion: 9\n")
    if origin:
        (info / "direct_url.json").write_text(json.dumps(origin).replace("{folder}", quote(str(folder))))
    if clone:
        (folder / "pyproject.toml").touch()
    monkeypatch.setattr(plugins, "_ROOT", folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PATH", str(tmp_path))
    command = f"/a/python -m pip install {source.format(folder=folder)}"
    assert plugins.installable("tvm: pip install 'polyjuice-fuzzer[tvm]'", "/a/python") == f"tvm: {command}"
    assert compilers.find("tvm").needed("/a/python").endswith(command)
    (tmp_path / "pip").touch(0o755)
    assert " -m pip" not in plugins.installable("pip install x", str(tmp_path / "python"))
