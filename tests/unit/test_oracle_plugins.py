"""Each oracle is one file, here or in another package, and no other file names it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import polyjuice
from polyjuice.oracles import KINDS, ORACLES, Kind, Oracle
from tests.support.commands import refusal
from tests.support.plugins import declared

PACKAGE = Path(polyjuice.__file__).parent

PLUGIN = """
from polyjuice.oracles import {imports}

ODD = Kind(name={kind!r}, title="odd", claim="A is odd.", predicate="is odd", why="It must be even.",
           ending=ending("sys.exit(1)"))
ORACLE = Oracle(name={name!r}, help="odd programs", kinds=(ODD,), judge=lambda case, access: []{more})
"""


def plugin(name: str = "odd", kind: str = "odd", more: str = "", imports: str = "Kind, Oracle, ending") -> str:
    """The text of an oracle's file."""
    return PLUGIN.format(name=name, kind=kind, more=more, imports=imports)


def test_an_oracle_has_the_name_of_its_file() -> None:
    assert all((PACKAGE / "oracles" / f"{name}.py").is_file() for name in ORACLES)
    assert len({oracle.rank for oracle in ORACLES.values()}) == len(ORACLES)


def test_no_other_file_names_an_oracle_or_a_kind() -> None:
    names = "|".join({*ORACLES, *KINDS} - {"memory"})  # which is also a part of an outcome
    found = [
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in (".py", ".md", ".html", ".js") and path.parent.name != "oracles"
        for match in re.finditer(rf"([\"'])(?:{names})\1", path.read_text(encoding="utf-8"))
    ]
    assert not found


def test_an_oracle_outside_of_the_package_is_found_by_its_entry_point(tmp_path: Path) -> None:
    env = declared(tmp_path, "polyjuice.oracles", "odd", plugin())
    message = refusal("--compiler", "numpy", "--oracle", "even", env=env)
    assert message.endswith("gradient, odd")


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
