"""A verdict is a finding if it shows three times, each time in fresh processes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from polyjuice import pipeline
from polyjuice.oracles import Case, Verdict


def verdict(a: str, b: str = "", output: int = 0, kind: str = "mismatch") -> Verdict:
    return Verdict(oracle="differential", kind=kind, a=a, b=b, message="wrong", signature="signature", output=output)


@dataclass
class Sessions:
    """A session that counts its fresh sessions."""

    count: int = 0

    @contextmanager
    def fresh(self) -> Any:
        self.count += 1
        yield self.count


@pytest.fixture
def repeating(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[int], Sessions]]:
    """The verdicts that repeat, and the sessions. ``shows`` decides for verdict and session."""

    def run(verdicts: list[Verdict], shows: Callable[[Verdict, int], bool]) -> tuple[list[int], Sessions]:
        monkeypatch.setattr(pipeline, "rerun", lambda case, session: case)
        monkeypatch.setattr(pipeline, "shows", lambda case, verdict, session: shows(verdict, session))
        sessions = Sessions()
        found = pipeline.repeating(Case(sets=[], programs=[]), verdicts, sessions)  # type: ignore[arg-type]
        return found, sessions

    return run


def test_verdicts_on_the_same_sides_share_processes(repeating: Any) -> None:
    verdicts = [verdict("min", "max"), verdict("max", "min", 1), verdict("min")]
    found, sessions = repeating(verdicts, lambda verdict, time: True)
    assert found == [0, 1, 2]
    assert sessions.count == 2 * pipeline.REPEATS


def test_what_does_not_show_is_not_tried_again(repeating: Any) -> None:
    found, sessions = repeating([verdict("min")], lambda verdict, time: False)
    assert (found, sessions.count) == ([], 1)


@pytest.mark.parametrize("last", range(1, pipeline.REPEATS))
def test_each_time_counts(repeating: Any, last: int) -> None:
    both = [verdict("min"), verdict("min", output=1)]
    found, sessions = repeating(both, lambda verdict, time: verdict.output == 1 or time <= last)
    assert (found, sessions.count) == ([1], pipeline.REPEATS)


def test_a_hang_takes_the_whole_limit_and_must_show_once_more(repeating: Any) -> None:
    found, sessions = repeating([verdict("min", kind="hang")], lambda verdict, time: True)
    assert (found, sessions.count) == ([0], 1)
    both = [verdict("min", kind="hang"), verdict("min")]
    assert repeating(both, lambda verdict, time: True)[1].count == pipeline.REPEATS
