"""When a campaign's loop stops giving out cases, by a clock that the test sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign import loop, processes
from polyjuice.campaign.case import CaseResult
from polyjuice.campaign.clock import PROBE
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store


class Listener:
    def case(self, result: CaseResult) -> None: ...

    def triaged(self, result: object, known: str) -> None: ...


@pytest.fixture
def tested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[float, float], dict[str, Any]]:
    """Run a campaign of ten seconds whose cases take so long, and ask for so long; the summary, and what is stored."""
    now = [0.0]

    class Pool:
        """Does the work of a process at once."""

        def __init__(self, *_: object) -> None: ...

        def submit(self, work: object, task: Sequence[int]) -> Future[list[CaseResult]]:
            assert work is processes.run_cases
            done: Future[list[CaseResult]] = Future()
            done.set_result([CaseResult(index, 1, seconds=seconds) for index in task])
            now[0] += sum(seconds.values()) * len(task)
            return done

        def shutdown(self, **_: object) -> None: ...

    monkeypatch.setattr(loop, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(loop, "_stop", lambda processes: None)
    monkeypatch.setattr(loop.time, "monotonic", lambda: now[0])
    seconds: dict[str, float] = {}

    def run(case_s: float, probe_s: float) -> dict[str, Any]:
        seconds.update({"run": case_s, PROBE: probe_s})
        config = Config("numpy", time_s=10.0)
        store = Store.create(tmp_path / "campaign", config)
        loop.run(config, [], store, Listener())
        found = {**store.summary(), **{key: float(store.meta(key) or 0) for key in ("elapsed_s", "probe_s")}}
        store.close()
        return found

    return run


def test_a_campaign_goes_on_for_as_long_as_it_asked_what_the_compiler_takes(
    tested: Callable[[float, float], dict[str, Any]],
) -> None:
    found = tested(1.0, 5.0)
    assert (found["tested"], found["elapsed_s"], found["probe_s"]) == (10, 60.0, 50.0)
    assert found["share"] == {**dict.fromkeys(found["share"], 0.0), "run": 0.1667, PROBE: 0.8333}


def test_a_campaign_that_need_not_ask_ends_in_time(tested: Callable[[float, float], dict[str, Any]]) -> None:
    found = tested(1.0, 0.0)
    assert (found["tested"], found["elapsed_s"], found["probe_s"]) == (10, 10.0, 0.0)
