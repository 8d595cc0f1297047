"""The conditions of published bugs hold for triggers in Torch, as Polyjuice reads them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from polyjuice.user_models import callables

pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.published.conditions import CONDITIONS
from benchmarks.published.entry import Entry, read_all
from benchmarks.published.program import Program

IN_TORCH = [entry for entry in read_all() if entry.half == "open" and entry.format == "torch"]


@pytest.mark.parametrize("entry", IN_TORCH, ids=lambda entry: entry.key)
def test_a_trigger_meets_its_conditions(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    condition = CONDITIONS[entry.key]
    monkeypatch.syspath_prepend(entry.path.parent)
    user = callables.load(f"{entry.path.stem}:program")
    assert user.examples is not None
    sets = [user.examples]
    assert condition.occurs(Program(user.graph, lambda: sets, lambda: user.artifact))
