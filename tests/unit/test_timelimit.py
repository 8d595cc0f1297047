"""A time limit interrupts only work that exceeds it."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

import pytest

from polyjuice.campaign import processes
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import PROBE, Deadlines, Task
from polyjuice.timelimit import TimeLimit
from polyjuice.triage import bisection
from polyjuice.triage.bisection import TrialResult
from polyjuice.triage.reduction.run import Search
from polyjuice.triage.reduction.trial import Counts

LONG = 60.0
"""Seconds. Without interrupts, the tests would take this long."""


def soon() -> float:
    return time.monotonic() + 0.2


@pytest.fixture(autouse=True)
def in_time() -> Any:
    """No test takes as long as without limits, and no timer or handler is left behind."""
    began, handler = time.monotonic(), signal.getsignal(signal.SIGALRM)
    yield
    assert time.monotonic() - began < LONG / 2
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is handler


def test_what_takes_too_long_is_interrupted() -> None:
    with TimeLimit(soon()) as limit:
        time.sleep(LONG)
    assert limit.passed


def test_what_ends_in_time_is_not() -> None:
    with TimeLimit(time.monotonic() + LONG) as limit:
        time.sleep(0.01)
    assert not limit.passed


def test_nothing_takes_the_interrupt_for_a_failure() -> None:
    with TimeLimit(soon()) as limit, suppress(Exception):
        time.sleep(LONG)
    assert limit.passed


def test_an_error_of_the_work_is_its_own() -> None:
    with pytest.raises(ValueError, match="mine"), TimeLimit(time.monotonic() + LONG):
        raise ValueError("mine")


def test_the_inner_limit_ends_the_inner_block_alone() -> None:
    with TimeLimit(time.monotonic() + LONG) as outer:
        with TimeLimit(soon()) as inner:
            time.sleep(LONG)
        after = True
    assert (inner.passed, outer.passed, after) == (True, False, True)


def test_the_outer_limit_holds_inside_the_inner_block() -> None:
    with TimeLimit(soon()) as outer:
        with TimeLimit(time.monotonic() + LONG) as inner:
            time.sleep(LONG)
        raise AssertionError("the outer block goes on")
    assert (inner.passed, outer.passed) == (False, True)


def test_what_comes_besides_lengthens_it() -> None:
    besides = [0.0]
    began = time.monotonic()
    with TimeLimit(began + 0.1, lambda: besides[0]) as limit:
        besides[0] = 0.4
        time.sleep(LONG)
    assert limit.passed
    assert time.monotonic() - began >= 0.5


def test_without_an_end_or_in_another_thread_it_has_no_effect() -> None:
    with TimeLimit(math.inf) as limit:
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert not limit.passed

    def work() -> bool:
        assert threading.current_thread() is not threading.main_thread()
        with TimeLimit(time.monotonic() - 1) as limit:
            time.sleep(0.01)
        return limit.passed

    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(work).result()


@dataclass
class Runner:
    """A runner whose case 1 probes the compiler for a while, and whose case 2 never ends."""

    probe_s: float = 0.0
    asked_s: float = 0.0

    def run(self, indices: Sequence[int], postponed: Sequence[int], acted: object) -> Iterator[CaseResult]:
        for index in postponed or indices:
            if index == 1:
                self.probe_s += self.asked_s
                time.sleep(0.6)
            if index == 2:
                time.sleep(LONG)
            asked_s = self.asked_s if index == 1 else 0.0
            yield CaseResult(index=index, programs=1, seconds={"other": 0.0, PROBE: asked_s})


def run_task(monkeypatch: pytest.MonkeyPatch, indices: list[int], asked_s: float = 0.0) -> list[int]:
    """The cases that run in a task of 0.3 s."""
    monkeypatch.setattr(processes, "_runner", Runner(asked_s=asked_s))
    now = time.monotonic()
    return [r.index for r in processes.run_task(Task(indices), Deadlines(now + LONG, now + 0.3, 0.0)).results]


def test_a_task_gives_up_the_case_that_is_under_way_and_keeps_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_task(monkeypatch, [0, 2, 3]) == [0]
    assert processes._runner is None, "it may be anywhere within the case"
    assert run_task(monkeypatch, [0, 3]) == [0, 3]


def test_no_case_begins_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_runner", Runner())
    now = time.monotonic()
    deadlines = Deadlines(now - 1, now + LONG, 0.0)
    assert processes.run_task(Task([0]), deadlines).results == []
    assert [result.index for result in processes.run_task(Task([0, 4], [4]), deadlines).results] == [4], (
        "it was under way"
    )


def test_asking_what_the_compiler_takes_lengthens_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_task(monkeypatch, [1, 0]) == []
    assert run_task(monkeypatch, [3, 1, 0], asked_s=LONG) == [3, 1, 0]
    monkeypatch.setattr(processes, "_runner", Runner(probe_s=10.0))
    now = time.monotonic()
    assert processes.run_task(Task([0]), Deadlines(now - 5, now - 5, 0.0)).results
    assert not processes.run_task(Task([0]), Deadlines(now - 5, now - 5, 8.0)).results


def test_results_account_for_all_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_runner", Runner())
    began = time.monotonic()
    results = processes.run_task(Task([0, 1]), Deadlines(began + LONG, began + LONG, 0.0)).results
    counted_s = sum(sum(result.seconds.values()) for result in results)
    assert 0.6 <= counted_s <= time.monotonic() - began


def number(value: int) -> Any:
    """A candidate of a reduction."""
    return SimpleNamespace(value=value, size=(value,), digest=str(value), operators=(value,), graphs=())


def test_a_reduction_breaks_off_a_trial_and_keeps_what_it_has() -> None:
    """The trial never ends on odd numbers."""
    closed = []
    trial: Any = SimpleNamespace(
        until=soon(),
        session=SimpleNamespace(close=lambda: closed.append(True)),
        counts=Counts(),
        together=1,
        check_time=lambda: None,
        shows=lambda candidate: candidate.value % 2 == 0 or bool(time.sleep(LONG)),
    )
    passes: Any = [("half", lambda *_: [lambda n: [number(n.value // 2)]])]
    numbers = [number(12)]
    search = Search(passes=passes, trial=trial, accepted=numbers, show=lambda step: None)
    assert not search.run()
    assert [one.value for one in numbers] == [12, 6]
    assert closed, "its processes may be anywhere within a program"


def test_a_bisection_that_breaks_off_a_trial_isolates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is gone if all parts are off. With fewer parts off, a trial never ends."""

    def without(finding: object, case: object, disabled: tuple[str, ...], level: str = "") -> TrialResult:
        if not disabled:
            return TrialResult.shown
        if len(disabled) < 4:
            time.sleep(LONG)
        return TrialResult.gone

    finding = SimpleNamespace(
        compiler=SimpleNamespace(levels=(), conditions={}),
        oracle=SimpleNamespace(compares_levels=False),
        verdict=SimpleNamespace(oracle="metamorphic", culprit=""),
        case=lambda: None,
        conditions=SimpleNamespace(level=""),
        record=SimpleNamespace(culprit=""),
        graphs={"min": SimpleNamespace(nodes=())},
    )
    monkeypatch.setattr(bisection, "without", without)
    monkeypatch.setattr(bisection._Search, "_check", lambda self: ("a", "b", "c", "d"))
    monkeypatch.setattr(bisection._Search, "_traced", lambda self, disabled: [])
    found = bisection.bisect(cast(Any, finding), 0.2)
    assert (found.shown, found.complete, found.blame) == (True, False, ())
    assert list(found.sentences()) == ["Not isolated: the time ran out."]
