"""A campaign's triage: which finding is next, when there is time for it, and what is told of it in the end."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from polyjuice.campaign.clock import Schedule
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Distinct, Store
from polyjuice.triage import known
from polyjuice.triage.automatic import FAILURES, Suspect, Triaged, reduced_folder
from polyjuice.triage.stored import annotate

#: How many of the findings that it stands for a finding names.
_EXAMPLES = 20

#: For how many findings there is time at least when the number of cases that was asked for is done.
_LEAST = 2


@dataclass(frozen=True)
class Job:
    """The folder of a finding to triage, for how many seconds at most, and when, on the monotonic clock, to end."""

    folder: Path
    budget_s: float
    end: float


class Triage:
    """The findings of a campaign on their way through triage.

    While cases are run it has half of the processes; a single process gives it half of the time so far, and never more
    than half of the time that the campaign has for cases. Afterwards it has all processes until the schedule ends; in a
    campaign of a number of cases, for as long as these took.
    """

    def __init__(self, config: Config, store: Store) -> None:
        """Raises KnownError, OSError."""
        self._config = config
        self._store = store
        self._bugs = known.of(config.known)
        self._running: dict[str, Mapping[str, Any]] = {}
        self._spent_s = 0.0
        self._ended: Counter[str] = Counter()

    def next(self, schedule: Schedule, cases: bool) -> Job | None:
        """The finding to triage now; None where there is none, or no time for it.

        ``cases`` says whether the campaign still runs cases. Those whose triage was not ended yet come first, and of
        these the small programs.
        """
        workers = self._config.workers
        if not self._config.triage_s or len(self._running) >= max(1, workers // (2 if cases else 1)):
            return None
        waiting = [] if self._late(schedule, cases) else self._waiting()
        if not waiting:
            return None
        record = min(waiting, key=lambda r: (self._ended[r["folder"]], sum(r["operators"].values())))
        self._running[record["folder"]] = record
        budget_s = schedule.triage_share_s - self._spent_s if cases and workers == 1 else math.inf
        return Job(self._store.folder / "raw" / str(record["folder"]), budget_s, schedule.end)

    def _late(self, schedule: Schedule, cases: bool) -> bool:
        """Whether there is no time for a further finding now."""
        if cases:
            return self._spent_s > schedule.cases_s / 2
        least_s = 2 * _LEAST * self._config.triage_s
        over = self._config.cases is not None and schedule.since_cases_s > max(schedule.cases_s, least_s)
        return over or time.monotonic() >= schedule.end

    def _waiting(self) -> Sequence[Mapping[str, Any]]:
        """The findings that may be triaged now. A failure like one that has been is triaged by that."""
        untriaged = self._store.untriaged()
        seen = {distinct.signature for distinct in self._store.findings() if distinct.triaged} if untriaged else set()
        running = {record["signature"] for record in self._running.values()}
        waiting = []
        for record in untriaged:
            signature = record["signature"]
            failure = record["kind"] in FAILURES
            if failure and signature in seen:
                self._store.add_triaged(Triaged(record["folder"], signature))
            elif record["folder"] not in self._running and not (failure and signature in running):
                waiting.append(record)
        return waiting

    def finish(self, triaged: Triaged) -> str:
        """Take a result in. The address of the known bug's report where the finding turned out to be one, or ""."""
        raw = self._running.pop(triaged.name)
        self._spent_s += triaged.seconds
        self._store.add_triage_time(triaged.seconds)
        if triaged.ended:
            self._ended[triaged.name] += 1
            return ""
        triaged = replace(triaged, signature=triaged.signature or raw["signature"])
        compiler, version = raw["compiler"], raw["versions"][raw["compiler"]]
        bug = known.find(self._bugs, compiler, version, triaged.signature)
        if bug and bug.is_in(version):
            self._store.add_triaged(triaged, bug.url)
            return bug.url
        if bug and triaged.record:
            triaged = replace(triaged, record={**triaged.record, "regression": bug.url})
        self._store.add_triaged(triaged)
        self.publish()
        return ""

    def close(self) -> None:
        """Lay failures to those of their like that have been triaged, which takes no time; and publish."""
        if self._config.triage_s:
            self._waiting()
        self.publish()

    def publish(self) -> None:
        """Make the campaign's ``findings`` hold one folder of each signature, with how many more there are."""
        folder = self._store.folder / "findings"
        told = self._store.findings()
        for other in {path.name for path in folder.iterdir()} - {distinct.name for distinct in told}:
            shutil.rmtree(folder / other)
        for distinct in told:
            _publish(distinct, self._store.folder / "raw" / distinct.name, folder / distinct.name)


def suspects(campaign: Path, bugs: Sequence[known.KnownBug], compiler: str, version: str) -> list[Suspect]:
    """What a campaign has found so far, or is known, as far as the part of the compiler to blame for it is known."""
    store, _ = Store.open(campaign)
    try:
        records = ((d.signature, d.record) for d in store.findings())
        found = [
            Suspect(signature, tuple(record["blame"]))
            for signature, record in records
            if record["bisection"].get("complete", True)
        ]
    finally:
        store.close()
    found += [Suspect(b.signature, b.blame) for b in bugs if b.compiler == compiler and b.is_in(version)]
    return [suspect for suspect in found if suspect.signature and suspect.blame]


def _publish(distinct: Distinct, raw: Path, folder: Path) -> None:
    """Put a finding where it is told, whole or not at all; what is there already is only told the new counts."""
    said = {
        "signature": distinct.signature,
        "regression": distinct.record["regression"],
        "more": len(distinct.others),
        "examples": [str(Path("raw") / name) for name in distinct.others[:_EXAMPLES]],
    }
    path = folder / "finding.json"
    there = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    if there and bool(there["reduction"]) == distinct.reduced:
        if not said.items() <= there.items():
            annotate(folder, **said)
        return
    source = reduced_folder(raw) if distinct.reduced else raw
    staged = folder.with_name(f".{folder.name}")
    shutil.rmtree(staged, ignore_errors=True)
    shutil.copytree(source, staged, ignore=shutil.ignore_patterns(reduced_folder(raw).name))
    annotate(staged, **said)
    shutil.rmtree(folder, ignore_errors=True)
    staged.rename(folder)
