"""The end of a campaign's loop, for cases and findings, on a clock that the test sets."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign import loop, processes
from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import (
    CONFIRM,
    LEAST_TRIAGE_S,
    PROBE,
    Deadlines,
    Task,
    Timing,
    TriageShare,
    triage_has_process,
)
from polyjuice.campaign.store import Store
from polyjuice.campaign.triage import UNTRIAGED, TriageJob
from polyjuice.triage import FindingRecord
from polyjuice.triage.automatic import Group, Triaged
from polyjuice.triage.causes import by_part
from tests.support.findings import named

CONFIG = Config(compiler="numpy", time_s=200.0, triage_s=1000.0)


@dataclass
class World:
    """The work of one process on its own clock: the seconds of each case, and of triage for each finding.

    ``begun`` and ``ended`` are the deadlines at which cases began and triage ended. ``refused`` cases come too late the
    first time. ``postponed`` cases have findings that are confirmed the second time, which takes ``confirm_s``. The
    findings of the cases in ``alike`` are in one group, and each other finding in one of its own.
    """

    folder: Path
    seconds: dict[str, float] = field(default_factory=dict)
    triage_s: float = 0.0
    findings: bool = False
    now: float = 1000.0
    asked_s: float = 0.0
    refused: set[int] = field(default_factory=set)
    postponed: set[int] = field(default_factory=set)
    alike: set[int] = field(default_factory=set)
    confirm_s: float = 0.0
    begun: list[float] = field(default_factory=list)
    tested: list[int] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)
    results: list[Triaged] = field(default_factory=list)
    confirmed_cases: list[int] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)

    def run_task(self, task: Task, deadlines: Deadlines) -> processes.Ran:
        return processes.Ran(self._results(task, deadlines))

    def _results(self, task: Task, deadlines: Deadlines) -> list[CaseResult]:
        indices = task.indices
        if task.postponed:
            self.now += self.confirm_s
            found = [
                CaseResult(index=i, pairs=1, programs=2, findings=[self.finding(i)], rules=["r"])
                for i in task.postponed
            ]
            return found if self.now <= deadlines.cases_end else []
        if self.now > deadlines.last_begin + self.asked_s - deadlines.asked_s:
            return []
        if self.refused & {*indices}:
            self.refused -= {*indices}
            return []
        results = []
        for index in indices:
            self.begun.append(self.now)
            self.tested.append(index)
            self.now += sum(self.seconds.values())
            self.asked_s += self.seconds.get(PROBE, 0.0)
            waits = index in self.postponed
            found = [self.finding(index)] if self.findings and not waits else []
            result = CaseResult(
                index=index, pairs=1, programs=2, findings=found, rules=["r"], seconds=dict(self.seconds)
            )
            results.append(replace(result, postponed=indices) if waits else result)
        return results if self.now <= deadlines.cases_end + self.asked_s - deadlines.asked_s else []

    def finding(self, index: int) -> FindingRecord:
        """A finding with its own signature, in its own folder."""
        name = f"{index:06d}-0-mismatch"
        record = named(name, index=index)
        (self.folder / "raw" / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "raw" / name / "finding.json").write_text(json.dumps(asdict(record)))
        return record

    def triage(self, job: TriageJob) -> list[Triaged]:
        """Sorting findings takes no time."""
        names = [*job.names]
        if job.sorts:
            groups = {name: "alike" if int(name.partition("-")[0]) in self.alike else name for name in names}
            return [Triaged(name=name, group=Group(groups[name])) for name in names]
        spent = max(min(self.triage_s, job.end - self.now), 0.0)
        self.now += spent
        self.ended.append(self.now)
        return [Triaged(name=names[0], problem="it stays", ended=spent < self.triage_s, seconds=spent)]

    def case(self, result: CaseResult) -> None: ...

    def died(self, work: str) -> None: ...

    def confirmed(self, result: CaseResult) -> None:
        self.confirmed_cases.append(result.index)

    def triaged(self, result: Triaged, known: str) -> None:
        if not result.group:
            self.results.append(result)

    def note(self, text: str) -> None: ...

    def goes_on(self, phase: str, left_s: float, workers: int) -> None:
        self.phases.append(phase)

    def run(self, config: Config) -> dict[str, Any]:
        """Begin or continue the campaign. Return the summary, with the shares of its time."""
        there = (self.folder / "campaign.sqlite").exists()
        store = Store.open(self.folder)[0] if there else Store.create(self.folder, config)
        loop.run(config, [], store, self)
        found = {**store.summary(), **store.spent(), "fired": store.fired("r")}
        store.close()
        return found


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path / "campaign")

    class Pool:
        """A pool that does each task at once."""

        workers = 1

        def __init__(self, *_: object) -> None: ...

        def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
            done: Future[Any] = Future()
            done.set_result({processes.run_task: world.run_task, processes.triage: world.triage}[work](*arguments))
            return done

        def died(self, future: Future[Any]) -> bool:
            return False

        def said(self) -> str:
            return "asking {compiler}"

        def tend(self) -> None: ...

        def shutdown(self, **_: object) -> None: ...

    monkeypatch.setattr(loop, "Processes", Pool)
    monkeypatch.setattr(time, "monotonic", lambda: world.now)
    monkeypatch.setattr(TriageShare, "allows_job", lambda self, now: False)  # tested below
    return world


def test_a_campaign_goes_on_for_as_long_as_it_asked_what_the_compiler_takes(world: World) -> None:
    world.seconds = {"run": 1.0, PROBE: 5.0}
    found = world.run(replace(CONFIG, time_s=10.0))
    assert (found["tested"], found["elapsed_s"], found["probe_s"], found["cases_s"]) == (10, 60.0, 50.0, 10.0)
    assert found["share"] == {**dict.fromkeys(found["share"], 0.0), "run": 1.0}


def test_a_task_that_came_too_late_has_its_turn_where_it_turns_out_that_others_asked(world: World) -> None:
    """The loop learns about probes at a task's end. A process of its own would know earlier."""
    world.seconds = {"run": 1.0, PROBE: 50.0}
    world.refused = {2, 5}
    found = world.run(replace(CONFIG, time_s=10.0))
    assert (found["tested"], found["cases_s"]) == (10, 10.0)
    assert sorted(world.tested) == [*range(10)]


def test_confirming_and_triage_are_not_the_time_in_which_cases_are_run(world: World) -> None:
    world.seconds, world.findings, world.triage_s = {"compile": 3.0, CONFIRM: 1.0}, True, 4.0
    found = world.run(replace(CONFIG, time_s=None, cases=4))
    assert (found["pairs"], found["programs"], found["busy_s"], found["elapsed_s"]) == (4, 8, 12.0, 32.0)
    assert found["share"] == {**dict.fromkeys(found["share"], 0.0), "compile": 0.375, CONFIRM: 0.125, "triage": 0.5}
    assert found["untriaged"] == 0


def test_the_time_bounds_cases_and_then_triage(world: World) -> None:
    """Each case has a finding. One triage takes longer than the time that is left after the cases."""
    world.seconds, world.findings, world.triage_s = {"compile": 10.0}, True, 150.0
    found = world.run(CONFIG)
    began = 1000.0
    assert max(world.begun) <= began + 200.0
    assert world.now == began + 200.0 + 100.0
    assert found["untriaged"] == found["raw_findings"] == found["tested"]
    (summary,) = (world.folder / "findings").iterdir()
    assert summary.name == UNTRIAGED
    assert f"{found['untriaged']} findings in {found['untriaged']} groups" in summary.read_text()
    assert all(f"raw/{path.name}" in summary.read_text() for path in (world.folder / "raw").iterdir())
    assert all(result.ended for result in world.results)


def test_each_group_has_a_cause_before_a_further_finding_of_another_is_triaged(world: World) -> None:
    world.seconds, world.findings, world.triage_s, world.alike = {"compile": 3.0}, True, 1.0, {0, 1, 2}
    world.run(replace(CONFIG, time_s=None, cases=5))
    assert [int(result.name.partition("-")[0]) for result in world.results] == [0, 3, 4, 1, 2]


def test_triage_that_was_ended_is_not_begun_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Probes of other processes move the end by a moment meanwhile."""
    world.seconds, world.findings = {"compile": 200.0}, True
    sort, ended = world.triage, []

    def triage(job: TriageJob) -> list[Triaged]:
        if job.sorts:
            return sort(job)
        world.now = job.end - 1.0
        ended.append(job.names[0])
        return [Triaged(name=ended[-1], ended=True)]

    monkeypatch.setattr(world, "triage", triage)
    assert world.run(CONFIG)["untriaged"] == 1
    assert len(ended) == 1
    assert world.run(CONFIG)["untriaged"] == 1
    assert len(ended) == 2


def test_a_cause_that_accounts_for_an_earlier_one_takes_its_findings(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of two parts shows a fault, alone or together. Whichever finding is triaged first, there is one cause."""
    world.seconds, world.findings = {"compile": 60.0}, True
    sort, triaged = world.triage, []

    def triage(job: TriageJob) -> list[Triaged]:
        if job.sorts:
            return sort(job)
        folder = world.folder / "raw" / job.names[0]
        record = json.loads((folder / "finding.json").read_text())
        record |= {"blame": ["a"] if triaged else ["a", "b"], "reduction": {"from": folder.name}}
        record["cause"] = by_part("mismatch", record["blame"])
        shutil.rmtree(folder / "reduced", ignore_errors=True)
        shutil.copytree(folder, folder / "reduced")
        (folder / "reduced/finding.json").write_text(json.dumps(record))
        triaged.append(record["cause"])
        return [Triaged(name=folder.name, cause=record["cause"], record=record)]

    monkeypatch.setattr(world, "triage", triage)
    found = world.run(CONFIG)
    assert triaged[:2] == ["mismatch by a and b", "mismatch by a"]
    assert (found["causes"], found["untriaged"]) == (1, 0)
    (finding,) = (path for path in (world.folder / "findings").iterdir() if path.is_dir())
    record = json.loads((finding / "finding.json").read_text())
    assert (record["cause"], record["blame"], record["more"]) == ("mismatch by a", ["a"], found["raw_findings"] - 1)


def test_triage_has_a_minute_at_least(world: World) -> None:
    world.seconds, world.findings, world.triage_s = {"compile": 10.0}, True, 1000.0
    found = world.run(replace(CONFIG, time_s=20.0))
    assert found["elapsed_s"] == 20.0 + LEAST_TRIAGE_S


def test_a_single_process_does_not_stop_testing_for_triage(world: World) -> None:
    world.seconds, world.findings, world.triage_s = {"compile": 10.0}, True, 30.0
    found = world.run(CONFIG)
    assert len(world.begun) == 20
    assert max(world.begun) < min(world.ended)
    assert (found["causes"], found["untriaged"], found["findings"]) == (3, 17, 20)


def test_a_campaign_whose_time_is_over_triages_what_is_left(world: World) -> None:
    """Each continuation adds the time of triage once more. With a longer time, the campaign first runs more cases."""
    world.seconds, world.findings, world.triage_s = {"compile": 40.0}, True, 90.0
    first = world.run(CONFIG)
    assert first["untriaged"] > 2
    again = world.run(CONFIG)
    assert again["tested"] == first["tested"]
    assert again["untriaged"] == first["untriaged"] - 1
    assert again["elapsed_s"] == first["elapsed_s"] + 100.0
    assert again["cases_s"] == first["cases_s"]
    longer = world.run(replace(CONFIG, time_s=first["cases_s"] + 80.0))
    assert longer["tested"] > first["tested"]
    for _ in range(longer["untriaged"]):
        last = world.run(CONFIG)
    assert last["untriaged"] == 0
    assert world.run(CONFIG)["elapsed_s"] == last["elapsed_s"]


def test_a_number_of_cases_is_triaged_for_as_long_as_they_took(world: World) -> None:
    world.seconds, world.findings, world.triage_s = {"compile": 100.0}, True, 400.0
    found = world.run(replace(CONFIG, time_s=None, cases=10, triage_s=1.0))
    assert found["untriaged"] > 0
    assert 0 < found["elapsed_s"] - 2 * found["cases_s"] <= world.triage_s
    assert not any(result.ended for result in world.results)


def test_a_case_that_is_given_up_is_run_again(world: World) -> None:
    """A case that runs when the time is over has half of triage's time."""
    world.seconds = {"compile": 260.0}
    assert world.run(CONFIG)["tested"] == 0
    world.seconds, world.begun = {"compile": 240.0}, []
    assert world.run(replace(CONFIG, time_s=600.0))["tested"] == 2


def test_postponed_cases_run_once_more_after_all_others(world: World) -> None:
    world.seconds, world.findings, world.postponed, world.confirm_s = {"compile": 10.0}, True, {1, 3}, 5.0
    found = world.run(replace(CONFIG, time_s=None, cases=5))
    assert world.tested == [0, 1, 2, 3, 4]
    assert world.confirmed_cases == [1, 3]
    assert (found["tested"], found["raw_findings"], found["fired"]) == (5, 5, (5, 5))
    assert "postponed" not in found["by_kind"]
    assert found["busy_s"] == 50.0


def test_what_is_not_confirmed_in_time_stays_postponed_until_the_campaign_is_continued(world: World) -> None:
    """Postponed cases have half of triage's time, as running cases do: here 50 s."""
    world.seconds, world.postponed, world.confirm_s = {"compile": 40.0}, {0, 1, 2}, 25.0
    found = world.run(CONFIG)
    assert sorted(world.confirmed_cases) == [0, 1]
    assert (found["by_kind"]["postponed"], found["raw_findings"]) == (1, 2)
    tested = list(world.tested)
    again = world.run(CONFIG)
    assert sorted(world.confirmed_cases) == [0, 1, 2]
    assert "postponed" not in again["by_kind"]
    assert world.tested == tested


def test_without_triage_postponed_cases_have_its_time(world: World) -> None:
    world.seconds, world.postponed, world.confirm_s = {"compile": 40.0}, {0, 1, 2, 3, 4}, 25.0
    world.run(replace(CONFIG, triage_s=0.0))
    assert len(world.confirmed_cases) == 4


def test_triage_of_a_short_campaign_waits_if_it_fits_into_half_of_its_time_afterwards() -> None:
    def waits(time_s: float | None, work_s: float, workers: int) -> bool:
        return Timing(time_s=time_s, before={}, began=0.0).triage_can_wait(work_s, workers)

    assert waits(120.0, 60.0, workers=2)
    assert not waits(120.0, 61.0, workers=2)
    assert not waits(120.0, 31.0, workers=1)
    assert not waits(3600.0, 1.0, workers=2)
    assert not waits(None, 1.0, workers=2)


def test_triage_of_a_short_campaign_waits_for_nothing_until_it_shows_a_cause() -> None:
    timing, share = Timing(time_s=120.0, before={}, began=0.0), TriageShare(began=0.0)

    def has_process(jobs: int, shows: bool) -> bool:
        return triage_has_process(jobs, 1, 2, share, timing, 20.0, cases=True, shows=shows)

    assert has_process(jobs=0, shows=False)
    assert not has_process(jobs=1, shows=False), "one of the two processes goes on with cases"
    assert not has_process(jobs=0, shows=True)


def test_triage_waits_until_its_share_holds_what_a_job_takes() -> None:
    share = TriageShare(began=1000.0)
    assert not share.allows_job(1059.0)
    assert share.allows_job(1060.0)


def test_triage_has_a_quarter_of_the_time_whatever_jobs_take() -> None:
    share, now = TriageShare(began=0.0), 0.0
    for job in range(400):
        while not share.allows_job(now):
            now += 1.0  # a case
        seconds = 5.0 if job % 7 else 60.0
        now += seconds
        share.count(seconds)
    assert 0.24 < share.spent_s / now <= 0.26
