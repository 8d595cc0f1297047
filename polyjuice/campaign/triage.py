"""A campaign's triage: which finding is next, when there is time for it, and what is told of it in the end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Distinct, Store
from polyjuice.triage import known
from polyjuice.triage.automatic import FAILURES, Suspect, Triaged, reduced_folder
from polyjuice.triage.stored import annotate

#: How many of the findings that it stands for a finding names.
_EXAMPLES = 20

#: For how many findings there is time at least when all cases are done.
_LEAST = 2


class Triage:
    """The findings of a campaign on their way through triage.

    While cases are run it has half of the time. Afterwards it goes on for as long as they took.
    """

    def __init__(self, config: Config, store: Store) -> None:
        """Raises KnownError, OSError."""
        self._config = config
        self._store = store
        self._bugs = known.read(Path(config.known)) if config.known else ()
        self._running: dict[str, Mapping[str, Any]] = {}
        self._spent_s = 0.0
        self._cases_s: float | None = None

    def next(self, elapsed_s: float, cases: bool) -> Path | None:
        """The folder of the finding to triage now; None where there is none, or no time for it.

        ``elapsed_s`` is how long the campaign has run; ``cases`` says whether it still runs cases. Small programs come
        first.
        """
        limit_s = self._config.triage_s
        if not limit_s or len(self._running) >= max(1, self._config.workers // (2 if cases else 1)):
            return None
        if cases:
            late = self._spent_s > elapsed_s / 2
        else:
            self._cases_s = self._cases_s or elapsed_s
            late = elapsed_s - self._cases_s > max(self._cases_s, 2 * _LEAST * limit_s)
        waiting = [] if late else self._waiting()
        if not waiting:
            return None
        record = min(waiting, key=lambda record: sum(record["operators"].values()))
        self._running[record["folder"]] = record
        return self._store.folder / "raw" / str(record["folder"])

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
        found = [Suspect(d.signature, tuple(d.record["blame"])) for d in store.findings()]
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
