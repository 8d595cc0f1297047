"""The campaign's database: its configuration and every finished case, each written as soon as it is known."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import stat
from bisect import insort
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from polyjuice.campaign import seeds
from polyjuice.campaign.config import Config
from polyjuice.campaign.coverage import Tuple
from polyjuice.campaign.lock import DATABASE, LOCK, PROCESSES, Lock, Locked
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import PROBE, SHARES, TRIAGE, Task
from polyjuice.stored_files import FORM, mismatch, refusal, this_version
from polyjuice.triage import FindingRecord
from polyjuice.triage.automatic import Group, Triaged, reduced_folder
from polyjuice.triage.causes import KnownCulprit
from polyjuice.triage.finding import staged
from polyjuice.triage.ranking import Rank, rank

_OWNER_ALONE = 0o700
"""The permissions of a campaign's folder."""

_BUSY_S = 60.0
"""The most seconds to wait while another process reads or writes the database."""

_ENDING_S = 90.0
"""The most seconds to wait for the processes of a killed campaign: they first end their compilers."""

FOLDERS = ("raw", "findings")
"""A campaign's folders for findings: all of them unreduced, and one of each cause, reduced where possible."""

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cases ("index" INTEGER PRIMARY KEY, result TEXT NOT NULL);
CREATE TABLE findings (
    folder TEXT PRIMARY KEY,
    "index" INTEGER NOT NULL,
    signature TEXT NOT NULL,
    record TEXT NOT NULL,
    grouped TEXT,
    alike INTEGER,
    culprits INTEGER,
    cause TEXT,
    reduced TEXT,
    why TEXT
);
CREATE TABLE rules (name TEXT PRIMARY KEY, cases INTEGER NOT NULL);
CREATE TABLE covered (
    operator TEXT, dtype TEXT, factor TEXT, level TEXT, "index" INTEGER,
    PRIMARY KEY (operator, dtype, factor, level)
) WITHOUT ROWID;
CREATE TABLE culprits (number INTEGER PRIMARY KEY, kind TEXT, cause TEXT, blame TEXT, pattern TEXT);
"""
"""A case has its result as JSON, without what other tables hold: findings, rules that fired, and coverage.

A finding has its ``finding.json`` as ``record``. Sorting adds its group, and triage its cause: with ``reduced``, the
record of the reduced finding, or with the reason ``why`` it is a duplicate.
"""

_JSON: Mapping[str, tuple[str, Any]] = {
    "cases": ("result", CaseResult),
    "findings": ("record", Mapping[str, Any]),
    "culprits": ("blame", Sequence[str]),
}
"""The column of each table that has JSON values, and their type."""

_STORED = [field.name for field in fields(CaseResult) if field.name not in ("findings", "rules", "covered")]
"""The fields of a case's result that its JSON has; other tables hold the others."""

_GROUP = "COALESCE(grouped, signature)"
"""The group of a finding."""

_COUNT_RULE = "INSERT INTO rules VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET cases = cases + 1"


class NoCampaign(ValueError):
    """The folder has no campaign, or has another one already, or its campaign is running."""


@dataclass(frozen=True)
class Distinct:
    """A finding that represents all findings of its ``cause``, or of its group if it has no cause yet.

    ``name`` is the name of its folder, and ``record`` its ``finding.json``, of the reduced finding if there is one.
    ``others`` are the folders of further findings with this cause.
    """

    name: str
    cause: str
    record: Mapping[str, Any]
    others: list[str]


def _delete(folder: Path) -> None:
    """Delete a campaign without findings. Other files in its folder stay."""
    for name in (DATABASE, LOCK, PROCESSES, "log"):
        (folder / name).unlink(missing_ok=True)
    seeds.forget(folder)
    for one in (*(folder / name for name in FOLDERS), folder):
        with suppress(OSError):  # a user's file is in it
            one.rmdir()


def _distinct(findings: Iterable[tuple[str, str, Mapping[str, Any]]]) -> list[Distinct]:
    firsts: dict[str, Distinct] = {}
    for cause, name, record in findings:
        first = firsts.setdefault(cause, Distinct(name, cause, record, []))
        if first.name != name:
            insort(first.others, name)
    return sorted(firsts.values(), key=lambda distinct: rank(distinct.record))


@dataclass(frozen=True, kw_only=True)
class FindingState:
    """What a running campaign knows of a finding without reading its record: all that chooses its turn in triage.

    ``group`` is there once it was sorted; none of the first ``culprits`` culprits, in the order of their discovery,
    accounts for it. In its group, the finding with the least ``rank`` comes first.
    """

    name: str
    index: int
    kind: str
    signature: str
    rank: Rank
    compiler: str
    version: str
    pattern: tuple[str, ...]
    group: Group | None = None
    culprits: int = 0

    @classmethod
    def of(cls, record: Mapping[str, Any], group: Group | None = None, culprits: int = 0) -> FindingState:
        """The state of a finding with this ``finding.json``."""
        return cls(
            name=record["folder"],
            index=record["index"],
            kind=record["kind"],
            signature=record["signature"],
            rank=rank(record),
            compiler=record["compiler"],
            version=record["versions"][record["compiler"]],
            pattern=tuple(record["pattern"]),
            group=group,
            culprits=culprits,
        )

    @property
    def grouped(self) -> str:
        """The text of its group; before sorting, its signature."""
        return self.group.text if self.group else self.signature


def _refuse_public(folder: Path) -> None:
    """Raise NoCampaign where every user can write a campaign's folder: its programs are code that Polyjuice runs."""
    if folder.stat().st_mode & stat.S_IWOTH:
        raise NoCampaign(f"{folder} can be written by every user: chmod o-w {folder}, or name another --out")


def writers(folder: Path) -> str:
    """Return who else can write a campaign's folder, "" where nobody can (but the superuser)."""
    status = folder.stat()
    if status.st_uid not in (0, os.geteuid()):
        return "another user owns it"
    return "its group can write it" if status.st_mode & stat.S_IWGRP else ""


def _result(text: str) -> CaseResult:
    values = json.loads(text)
    return CaseResult(**{name: values[name] for name in _STORED if name in values})


def _known(cases: Iterable[CaseResult]) -> dict[str, int]:
    return dict(sorted(Counter(url for case in cases for url in case.known).items()))


def _locked(folder: Path) -> Lock:
    try:
        return Lock(folder / LOCK)
    except Locked:
        raise NoCampaign(
            f"{folder}: another process is running this campaign, or writes into its findings: wait until it has ended"
        ) from None


class Store:
    """One campaign's folder and database."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self.folder = folder
        self._db = connection
        self._lock: Lock | None = None
        self._is_new = False
        self._in_transaction = False

    @classmethod
    def create(cls, folder: Path, config: Config) -> Store:
        """A new campaign. Its database appears whole, with the configuration. Raises NoCampaign where there is one."""
        path = folder / DATABASE
        there = f"{folder} already holds a campaign: continue it with --resume {folder}, or name another --out"
        if path.exists():
            raise NoCampaign(there)
        try:
            folder.mkdir(mode=_OWNER_ALONE, parents=True, exist_ok=True)
            for name in FOLDERS:
                (folder / name).mkdir(exist_ok=True)
        except OSError as error:
            raise NoCampaign(f"{folder} cannot be made: {error.strerror}") from None
        _refuse_public(folder)
        lock = _locked(folder)
        if path.exists():  # another campaign began there a moment ago
            lock.release()
            raise NoCampaign(there)
        new = path.with_suffix(".new")
        new.unlink(missing_ok=True)
        try:
            with closing(sqlite3.connect(new)) as db:
                db.executescript(_TABLES)
                stamp = {"form": str(FORM), "polyjuice": this_version(), "config": config.to_json()}
                db.executemany("INSERT INTO meta VALUES (?, ?)", stamp.items())
                db.commit()
            new.rename(path)
        except sqlite3.OperationalError:  # the disk is full
            lock.release()
            new.unlink(missing_ok=True)
            _delete(folder)
            raise
        store = cls(folder, sqlite3.connect(path, _BUSY_S))
        store._lock, store._is_new = lock, True
        return store

    @classmethod
    def open(cls, folder: Path, *, checked: bool = True) -> tuple[Store, Config]:
        """An existing campaign and its configuration. Raises NoCampaign.

        Processes of the campaign leave its values unchecked: the one that began or continued it has checked them.
        """
        path = folder / DATABASE
        if not path.exists():
            raise NoCampaign(f"{folder} holds no campaign (there is no campaign.sqlite)")
        _refuse_public(folder)
        try:
            store = cls(folder, sqlite3.connect(path, _BUSY_S))
            text = store.meta("config") or ""
            if problem := refusal(store.meta("form"), store.meta("polyjuice")):
                raise NoCampaign(f"{path}: {problem}")
            if checked:
                store._check()
        except (sqlite3.DatabaseError, ValueError) as error:
            raise NoCampaign(f"{path} cannot be read: {error}") from None
        try:
            return store, Config.from_json(text)
        except ValueError as error:
            raise NoCampaign(f"{path} has a configuration that cannot be read: {error}") from None

    def _check(self) -> None:
        """Raise ValueError where the database has another JSON value than a campaign stores."""
        for table, (column, hint) in _JSON.items():
            for (text,) in self._db.execute(f"SELECT {column} FROM {table}"):
                if problem := mismatch(json.loads(text), hint, f"{table}.{column}"):
                    raise ValueError(problem)

    def claim(self) -> None:
        """Keep others from running this campaign until `close` or the end of the process.

        After a kill, wait for the campaign's processes to end, and remove what they did not finish. Raises NoCampaign.
        """
        self._lock = _locked(self.folder)
        try:
            Lock(self.folder / PROCESSES, wait_s=_ENDING_S).release()
        except Locked:
            raise NoCampaign(
                f"{self.folder}: processes of this campaign still run, though it was killed: end the Python processes "
                f"that have {self.folder / PROCESSES} open"
            ) from None
        self._remove_unfinished()

    def _remove_unfinished(self) -> None:
        """Remove half-written folders of findings, and findings of cases that were not stored."""
        raw = self.folder / "raw"
        done = self.done() - {index for task in self.postponed() for index in task.postponed}
        kept = {name for (name,) in self._db.execute("SELECT folder FROM findings")}
        for path in raw.iterdir() if raw.is_dir() else ():
            index = path.name.partition("-")[0]
            if path.name not in kept and not (index.isdecimal() and int(index) in done):
                shutil.rmtree(path, ignore_errors=True)
            else:
                shutil.rmtree(staged(reduced_folder(path)), ignore_errors=True)

    def close(self) -> None:
        """Close the database, and let other processes run the campaign."""
        self._db.close()
        if self._lock:
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing of what the block writes, also if the process is killed inside it."""
        if self._in_transaction:
            yield
            return
        self._in_transaction = True
        try:
            with self._db:
                yield
        finally:
            self._in_transaction = False

    def abandon(self) -> None:
        """Delete a campaign that this process created and that could not begin, so that its folder is free again."""
        if self._is_new and not self.done():
            self.close()
            _delete(self.folder)

    def set_config(self, config: Config) -> None:
        """Store the configuration."""
        self.set_meta("config", config.to_json())

    def set_meta(self, key: str, value: str) -> None:
        """Store a text under a key."""
        with self.transaction():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def meta(self, key: str) -> str | None:
        """The text under a key; None where there is none."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def spent(self) -> dict[str, float]:
        """The seconds that the campaign has spent so far (see :meth:`polyjuice.campaign.schedule.Timing.spent`)."""
        stored: Mapping[str, float] = json.loads(self.meta("spent") or "{}")
        return {name: stored.get(name, 0.0) for name in ("elapsed_s", "probe_s", "cases_s", "busy_s")}

    def set_spent(self, **seconds: float) -> None:
        """Store how the campaign has spent its time so far, in seconds."""
        self.set_meta("spent", json.dumps(seconds))

    def add(self, result: CaseResult, elapsed_s: float, **spent: float) -> CaseResult:
        """Store a finished case and the campaign's time so far (see `spent`) in one transaction. Return what it stored.

        The second result of a postponed case replaces the first one. If it reports nothing, then the verdicts that were
        suspected did not repeat, and become flaky.
        """
        with self.transaction():
            before = self._case(result.index)
            if before:
                result = replace(result, seconds={**Counter(result.seconds) + Counter(before.seconds)})
                result = result if result.has_report else replace(result, flaky=before.suspected)
            else:
                self._db.executemany(_COUNT_RULE, [(name,) for name in result.rules])
            self.set_spent(elapsed_s=elapsed_s, **spent)
            self._put(result)
            rows = [(f.folder, f.index, f.signature, json.dumps(asdict(f))) for f in result.findings]
            columns = 'folder, "index", signature, record'
            self._db.executemany(f"INSERT OR REPLACE INTO findings ({columns}) VALUES (?, ?, ?, ?)", rows)
            covered = [(*one, result.index) for one in result.covered]
            self._db.executemany("INSERT OR IGNORE INTO covered VALUES (?, ?, ?, ?, ?)", covered)
        return result

    def _put(self, result: CaseResult) -> None:
        text = json.dumps({name: getattr(result, name) for name in _STORED})
        self._db.execute("INSERT OR REPLACE INTO cases VALUES (?, ?)", (result.index, text))

    def _case(self, index: int) -> CaseResult | None:
        row = self._db.execute('SELECT result FROM cases WHERE "index" = ?', (index,)).fetchone()
        return _result(row[0]) if row else None

    def cases(self) -> Iterator[CaseResult]:
        """The finished cases by index, without what other tables hold."""
        return (_result(text) for (text,) in self._db.execute('SELECT result FROM cases ORDER BY "index"'))

    def results(self) -> list[CaseResult]:
        """The finished cases by index, with what the log says about them."""
        found: dict[int, list[FindingRecord]] = {}
        for record in self.records():
            found.setdefault(record.index, []).append(record)
        return [replace(case, findings=found.get(case.index, ())) for case in self.cases()]

    def records(self) -> Iterator[FindingRecord]:
        """The ``finding.json`` of every finding."""
        return (FindingRecord(**json.loads(text)) for (text,) in self._db.execute("SELECT record FROM findings"))

    def done(self) -> set[int]:
        """The indices of the finished cases, including postponed ones."""
        return {row[0] for row in self._db.execute('SELECT "index" FROM cases')}

    def acted(self) -> list[tuple[int, Sequence[str]]]:
        """The indices of the finished cases, and the parts of the compiler that acted on each, as far as is known."""
        return [(case.index, case.acted or ()) for case in self.cases()]

    def postponed(self) -> list[Task]:
        """The cases to run again for confirmation."""
        tasks: dict[tuple[int, ...], list[int]] = {}
        for case in self.cases():
            if case.postponed:
                tasks.setdefault((*case.postponed,), []).append(case.index)
        return [Task(together, indices) for together, indices in tasks.items()]

    def causes(self) -> list[Distinct]:
        """One finding of each cause that triage has found, reduced where possible, in the order of `rank`."""
        rows = self._db.execute(
            "SELECT cause, folder, COALESCE(reduced, record) FROM findings WHERE cause IS NOT NULL "
            'ORDER BY reduced IS NULL, "index", folder'
        )
        return _distinct((cause, name, json.loads(record)) for cause, name, record in rows)

    def groups(self) -> list[Distinct]:
        """The first finding of each group without a cause, in the order of `rank`."""
        columns = f"{_GROUP}, folder, record"
        rows = self._db.execute(f"SELECT {columns} FROM findings WHERE cause IS NULL")
        found = [(group, name, json.loads(record)) for group, name, record in rows]
        return _distinct(sorted(found, key=lambda one: rank(one[2])))

    def waiting(self) -> list[str]:
        """The group, or the signature, of each finding without a cause."""
        return [group for (group,) in self._db.execute(f"SELECT {_GROUP} FROM findings WHERE cause IS NULL")]

    def findings(self) -> Iterator[tuple[FindingState, str, Mapping[str, Any] | None]]:
        """Every finding, its cause or "", and the record of its reduced form, by index."""
        columns = "record, grouped, alike, culprits, cause, reduced"
        rows = self._db.execute(f'SELECT {columns} FROM findings ORDER BY "index", folder')
        for record, grouped, alike, culprits, cause, reduced in rows:
            group = None if grouped is None else Group(grouped, bool(alike))
            state = FindingState.of(json.loads(record), group, culprits or 0)
            yield state, cause or "", json.loads(reduced) if reduced else None

    def add_group(self, name: str, group: Group, culprits: int) -> None:
        """Store the group of a finding that none of the first ``culprits`` culprits accounts for."""
        with self.transaction():
            row = group.text, group.alike, culprits, name
            self._db.execute("UPDATE findings SET grouped = ?, alike = ?, culprits = ? WHERE folder = ?", row)

    def culprits(self) -> list[KnownCulprit]:
        """The culprits, in the order of their discovery."""
        rows = self._db.execute("SELECT kind, cause, blame, pattern FROM culprits ORDER BY number")
        return [KnownCulprit(*row[:2], *(tuple(json.loads(text)) for text in row[2:])) for row in rows]

    def add_culprits(self, culprits: Iterable[KnownCulprit]) -> None:
        """Store further culprits."""
        with self.transaction():
            rows = [(one.kind, one.cause, json.dumps(one.blame), json.dumps(one.pattern)) for one in culprits]
            self._db.executemany("INSERT INTO culprits (kind, cause, blame, pattern) VALUES (?, ?, ?, ?)", rows)

    def reported(self) -> Counter[str]:
        """How many findings there are with each signature."""
        return Counter(dict(self._db.execute("SELECT signature, COUNT(*) FROM findings GROUP BY signature")))

    def add_triage_time(self, seconds: float) -> None:
        """Add to the time that triage took."""
        self.set_meta("triage_s", str(float(self.meta("triage_s") or 0) + seconds))

    def add_triaged(self, triaged: Triaged, url: str = "") -> None:
        """Store the result of a finding's triage; ``url`` is that of the known bug that it turned out to be."""
        with self.transaction():
            (index,) = self._db.execute('SELECT "index" FROM findings WHERE folder = ?', (triaged.name,)).fetchone()
            if (url or triaged.defect) and (case := self._case(index)):
                known = [*case.known, url] if url else case.known
                self._put(replace(case, known=known, defect=case.defect + triaged.defect))
            if url:
                self._db.execute("DELETE FROM findings WHERE folder = ?", (triaged.name,))
            else:
                row = triaged.cause, json.dumps(triaged.record) if triaged.record else None, triaged.why, triaged.name
                self._db.execute("UPDATE findings SET cause = ?, reduced = ?, why = ? WHERE folder = ?", row)

    def join_causes(self, old: str, new: str, why: str) -> None:
        """Attribute the findings of a cause to another one, which has a finding of its own."""
        with self.transaction():
            row = new, why, old
            self._db.execute("UPDATE findings SET cause = ?, reduced = NULL, why = ? WHERE cause = ?", row)
            self._db.execute("UPDATE culprits SET cause = ? WHERE cause = ?", (new, old))

    def reasons(self) -> dict[str, str]:
        """Why triage took each duplicate for one, by the name of its folder."""
        return dict(self._db.execute("SELECT folder, why FROM findings WHERE cause IS NOT NULL"))

    def add_death(self) -> None:
        """Count that a process of the campaign died."""
        self.set_meta("died", str(self._died + 1))

    @property
    def _died(self) -> int:
        return int(self.meta("died") or 0)

    def covered(self) -> list[Tuple]:
        """The tuples that the programs of the cases covered (see :mod:`polyjuice.campaign.coverage`)."""
        return self._db.execute("SELECT operator, dtype, factor, level FROM covered").fetchall()

    def growth(self) -> list[tuple[int, int, int, int]]:
        """For each case its index and its new pairs of operator and type, new tuples, and findings.

        A tuple that two cases cover counts for the one that was stored first.
        """
        return self._db.execute(
            'SELECT "index", COALESCE(c.pairs, 0), COALESCE(c.tuples, 0), COALESCE(f.found, 0) FROM cases '
            "LEFT JOIN (SELECT \"index\", SUM(factor = 'type') AS pairs, COUNT(*) AS tuples FROM covered "
            'GROUP BY "index") c USING ("index") '
            'LEFT JOIN (SELECT "index", COUNT(*) AS found FROM findings GROUP BY "index") f USING ("index") '
            'ORDER BY "index"'
        ).fetchall()

    def skipped(self) -> Counter[str]:
        """How many cases were skipped, by the reason in full."""
        return Counter(case.skipped for case in self.cases() if case.skipped)

    def accepted(self) -> int:
        """How many programs with a broken constraint the compiler accepted."""
        return sum(bool(case.accepted) for case in self.cases())

    def sizes(self) -> dict[str, int]:
        """How many cases ran with which sizes, for models with symbolic sizes; the smallest sizes come first."""
        found = Counter(case.sizes for case in self.cases() if case.sizes)
        return dict(sorted(found.items(), key=lambda pair: [int(n) for n in re.findall(r"= (\d+)", pair[0])]))

    def known(self) -> dict[str, int]:
        """How many findings matched each known bug, by the URL of its report."""
        return _known(self.cases())

    def programs(self) -> list[tuple[int, int]]:
        """For each case its index, and the number of judged programs."""
        return [(case.index, case.programs) for case in self.cases()]

    def rules(self) -> dict[str, int]:
        """The rules that fired, and the number of cases in whose e-graphs they did."""
        return dict(self._db.execute("SELECT name, cases FROM rules ORDER BY name").fetchall())

    def fired(self, rule: str) -> tuple[int, int]:
        """In the e-graphs of how many tested cases a rule fired, and the number of tested cases."""
        row = self._db.execute("SELECT cases FROM rules WHERE name = ?", (rule,)).fetchone()
        return (row[0] if row else 0), sum(case.tested for case in self.cases())

    def summary(self) -> dict[str, Any]:
        """The counts of ``fuzz --json``; ``findings`` counts causes, and groups without a cause."""
        cases, waiting, causes = [*self.cases()], self.waiting(), self.causes()
        skipped = Counter(case.skipped.split(":")[0] for case in cases if case.skipped)
        by_kind = Counter(json.loads(record)["kind"] for (record,) in self._db.execute("SELECT record FROM findings"))
        raw = by_kind.total()
        for kind, field in (("flaky", "flaky"), ("duplicate", "duplicates")):
            by_kind[kind] = sum(len(getattr(case, field)) for case in cases)
        by_kind["postponed"] = sum(bool(case.postponed) for case in cases)
        spent = Counter({TRIAGE: float(self.meta("triage_s") or 0)})
        for case in cases:
            spent.update(case.seconds)
        total = sum(seconds for activity, seconds in spent.items() if activity != PROBE) or 1.0
        return {
            "tested": sum(case.tested for case in cases),
            "skipped": skipped.total(),
            "skipped_reasons": dict(skipped),
            "pairs": sum(case.pairs for case in cases),
            "programs": sum(case.programs for case in cases),
            "packs": sum(case.packs for case in cases),
            "unsound_variants": sum(len(case.unsound) for case in cases),
            "defects": sum(bool(case.defect) for case in cases),
            "died": self._died,
            "disturbed": sum(len(case.disturbed) for case in cases),
            "findings": len(causes) + len({*waiting}),
            "raw_findings": raw,
            "causes": len(causes),
            "known_causes": sum(bool(cause.record.get("known")) for cause in causes),
            "causes_of_pairs": sum(bool(cause.record["b"]) for cause in causes),
            "untriaged": len(waiting),
            "by_kind": {kind: n for kind, n in by_kind.items() if n},
            "known": _known(cases),
            "share": {activity: round(spent[activity] / total, 4) for activity in SHARES},
        }
