"""The digests that decide which operators run again on a framework."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyjuice import ops
from tests.support import unchanged
from tests.support.unchanged import Unchanged

SUITE = "torch limits"


def runs(table: Unchanged) -> set[str]:
    """The operators of one module that run in the usual tests."""
    names = [name for name, module in unchanged._FAMILIES.items() if module == "elementwise"]
    return {name for name in names if pytest.mark.long not in table.marks(SUITE, name)}


def test_operators_run_until_all_of_their_module_have_passed_and_again_once_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Unchanged({})
    every = runs(table)
    for name in sorted(every)[1:]:
        table.passed(SUITE, name)
    assert json.loads(table.render()) == {}
    table.passed(SUITE, min(every))
    known = Unchanged(json.loads(table.render()))
    assert 0 < len(runs(known)) < len(every) / 4
    monkeypatch.setattr(unchanged, "digest", lambda module, framework: "another")
    assert runs(known) == every


def test_a_digest_covers_the_modules_that_an_entry_comes_from_and_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(ops.__file__).parent
    files = unchanged.sources(folder / "pooling.py")
    assert {folder / f"{name}.py" for name in ("pooling", "spec", "structural", "writes")} <= files
    assert folder / "control.py" not in files
    found = {unchanged.digest.__wrapped__("pooling", framework) for framework in unchanged.DISTRIBUTIONS}
    monkeypatch.setattr(unchanged.metadata, "version", lambda name: "99")
    found |= {unchanged.digest.__wrapped__("pooling", framework) for framework in ("torch", "jax")}
    assert len(found) == len(unchanged.DISTRIBUTIONS) + 2
