"""What a campaign confirms, and what it only counts because it is told already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign import confirmation
from polyjuice.campaign.config import Config
from polyjuice.campaign.confirmation import Confirming
from polyjuice.oracles import Case, Verdict
from tests.support.packs import Eager, cases


class Draft:
    """A finding that needs only be finished."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def finish(self, regression: str) -> Any:
        return self._folder.name


@contextmanager
def all_repeat(
    case: Case, verdicts: Sequence[Verdict], folders: Sequence[Path], session: object
) -> Iterator[Mapping[int, Draft]]:
    yield {number: Draft(folder) for number, folder in enumerate(folders)}


@contextmanager
def none_repeats(case: Case, *arguments: object) -> Iterator[Mapping[int, Draft]]:
    yield {}


def crash(signature: str) -> Verdict:
    return Verdict("crash", "crash", "original", "", "it failed", signature, culprit="original")


def mismatch(signature: str, alone: bool = False) -> Verdict:
    return Verdict("differential", "mismatch", "original", "", "it is off", signature, alone=alone)


@pytest.mark.parametrize(
    ("verdict", "confirmed"),
    [(crash("one"), 2), (mismatch("one"), 5), (mismatch("one", alone=True), 1)],
    ids=["failure", "wrong result", "wrong result that tells the cause"],
)
def test_what_is_told_already_is_counted(
    verdict: Verdict, confirmed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirmation, "confirmed", all_repeat)
    (case,) = cases(1)
    with Eager() as session:
        session.worker().start()
        confirming = Confirming(Config("eager"), tmp_path, session)
        found = [confirming.confirm(case, [verdict]) for _ in range(5)]
        other = confirming.confirm(case, [crash("another")])
    assert sum(len(one.findings) for one in found) == confirmed
    assert [s for one in found for s in one.again] == ["one"] * (5 - confirmed)
    assert len(other.findings) == 1


def test_what_does_not_repeat_is_flaky_and_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirmation, "confirmed", none_repeats)
    (case,) = cases(1)
    with Eager() as session:
        session.worker().start()
        confirming = Confirming(Config("eager"), tmp_path, session)
        found = [confirming.confirm(case, [crash("one")]) for _ in range(4)]
    assert [len(one.flaky) for one in found] == [1] * 4
