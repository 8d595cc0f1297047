"""The campaign's database: its configuration and every finished case, each written as soon as it is known."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from polyjuice.campaign import schema, seeds
from polyjuice.campaign.clock import PROBE, SHARES, TRIAGE
from polyjuice.campaign.config import Config
from polyjuice.campaign.coverage import Tuple
from polyjuice.campaign.lock import DATABASE, LOCK, PROCESSES, Lock, Locked
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Task
from polyjuice.stored_files import refusal
from polyjuice.triage import FindingRecord
from polyjuice.triage.automatic import Group, Triaged, reduced_folder
from polyjuice.triage.causes import KnownCulprit
from polyjuice.triage.finding import staged

_OWNER_ALONE = 0o700
"""The permissions of a campaign's folder."""

_BUSY_S = 60.0
"""The most seconds to wait while another process reads or writes the database."""

_ENDING_S = 90.0
"""The most seconds to wait for the processes of a killed campaign: they first end their compilers."""

FOLDERS = ("raw", "findings")
"""A campaign's folders for findings: all of them unreduced, and one of each cause, reduced where possible."""

SUSPECTED = "suspected"
"""The kind of the note on a verdict that waits for confirmation."""

POSTPONED = "postponed"
"""The kind of the note on a case whose verdict still waits for confirmation."""

LISTED = ("known", "flaky", "duplicates", "unsound", "disturbed")
"""The kinds of notes that a result has as lists of the same name."""

_GROUP = "COALESCE(grouped, signature)"
_WAITING = "FROM findings LEFT JOIN sorted USING (folder) WHERE folder NOT IN (SELECT folder FROM triaged)"
"""The group of a finding, and the findings without a cause."""

_COUNT_RULE = "INSERT INTO rules VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET cases = cases + 1"


class NoCampaign(ValueError):
    """The folder has no campaign, or has another one already, or its campaign is running."""


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """A finding that represents all findings of its ``cause``, or of its group if it has no cause yet.

    ``name`` is the name of its folder. ``record`` is its ``finding.json``, of the reduced finding if ``reduced``.
    ``others`` are the folders of further findings with this cause.
    """

    name: str
    cause: str
    record: Mapping[str, Any]
    reduced: bool
    others: tuple[str, ...]


def _delete(folder: Path) -> None:
    """Delete a campaign without findings. Other files in its folder stay."""
    for name in (DATABASE, LOCK, PROCESSES, "log"):
        (folder / name).unlink(missing_ok=True)
    seeds.forget(folder)
    for one in (*(folder / name for name in FOLDERS), folder):
        with suppress(OSError):  # a user's file is in it
            one.rmdir()


def _distinct(findings: Iterable[tuple[str, str, Mapping[str, Any], bool]]) -> list[Distinct]:
    alike: dict[str, list[tuple[str, Mapping[str, Any], bool]]] = {}
    for cause, name, record, reduced in findings:
        alike.setdefault(cause, []).append((name, record, reduced))
    found = [
        Distinct(
            name=name, cause=cause, record=record, reduced=reduced, others=tuple(sorted(other for other, *_ in others))
        )
        for cause, ((name, record, reduced), *others) in alike.items()
    ]
    return sorted(found, key=lambda distinct: distinct.name)


@dataclass(frozen=True, kw_only=True)
class FindingState:
    """What a running campaign knows of a finding without reading its record: all that chooses its turn in triage.

    ``group`` is there once it was sorted; none of the first ``culprits`` culprits, in the order of their discovery,
    accounts for it. ``operators`` counts those of its programs.
    """

    name: str
    index: int
    kind: str
    signature: str
    message: str
    operators: int
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
            message=record["message"],
            operators=sum(record["operators"].values()),
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

    @property
    def rank(self) -> tuple[int, int, str]:
        """Its place in its group: the smallest finding comes first."""
        return self.operators, self.index, self.name


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
                schema.create(db)
                cls(folder, db).set_config(config)
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
                schema.check(store._db)
        except (sqlite3.DatabaseError, ValueError) as error:
            raise NoCampaign(f"{path} cannot be read: {error}") from None
        try:
            return store, Config.from_json(text)
        except ValueError as error:
            raise NoCampaign(f"{path} has a configuration that cannot be read: {error}") from None

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
        waiting = {index for task in self.postponed() for index in task.postponed}
        done = self.done() - waiting
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
            self._put(key, value)

    def _put(self, key: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def meta(self, key: str) -> str | None:
        """The text under a key; None where there is none."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def spent(self) -> dict[str, float]:
        """The seconds that the campaign has spent so far (see :meth:`polyjuice.campaign.schedule.Timing.spent`)."""
        return {name: float(self.meta(name) or 0) for name in ("elapsed_s", "probe_s", "cases_s", "busy_s")}

    def set_spent(self, **seconds: float) -> None:
        """Store how the campaign has spent its time so far, in seconds."""
        with self.transaction():
            for name, value in seconds.items():
                self._put(name, str(value))

    def _seconds(self) -> Iterator[dict[str, float]]:
        return (json.loads(text) for (text,) in self._db.execute("SELECT seconds FROM cases"))

    def add(self, result: CaseResult, elapsed_s: float, **spent: float) -> CaseResult:
        """Store a finished case and the campaign's time so far (see `spent`) in one transaction. Return what it stored.

        The second result of a postponed case replaces the first one. If it reports nothing, then the verdicts that were
        suspected did not repeat, and become flaky.
        """
        seconds = Counter(result.seconds)
        with self.transaction():
            before = self._db.execute('SELECT seconds FROM cases WHERE "index" = ?', (result.index,)).fetchone()
            if before:
                seconds.update(json.loads(before[0]))
                suspected = 'SELECT text FROM notes WHERE "index" = ? AND kind = ?'
                flaky = [text for (text,) in self._db.execute(suspected, (result.index, SUSPECTED))]
                result = result if result.has_report else replace(result, flaky=flaky)
                self._db.execute('DELETE FROM notes WHERE "index" = ?', (result.index,))
            for name, value in {"elapsed_s": elapsed_s, **spent}.items():
                self._put(name, str(value))
            columns = '"index", pairs, skipped, seconds, programs, packs'
            counts = result.programs, result.packs
            self._db.execute(
                f"INSERT OR REPLACE INTO cases ({columns}) VALUES (?, ?, ?, ?, ?, ?)",
                (result.index, result.pairs, result.skipped, json.dumps(seconds), *counts),
            )
            for f in result.findings:
                row = (f.folder, f.index, f.kind, f.signature, json.dumps(asdict(f)))
                self._db.execute("INSERT OR REPLACE INTO findings VALUES (?, ?, ?, ?, ?)", row)
            notes = [(result.index, kind, text) for kind in LISTED for text in getattr(result, kind)]
            notes += [(result.index, SUSPECTED, text) for text in result.suspected]
            notes += [(result.index, "accepted", result.accepted)] if result.accepted else []
            notes += [(result.index, "sizes", result.sizes)] if result.sizes else []
            notes += [(result.index, POSTPONED, json.dumps([*result.postponed]))] if result.postponed else []
            notes += [(result.index, "defect", result.defect)] if result.defect else []
            self._db.executemany("INSERT INTO notes VALUES (?, ?, ?)", notes)
            covered = [(*one, result.index) for one in result.covered]
            self._db.executemany("INSERT OR IGNORE INTO covered VALUES (?, ?, ?, ?, ?)", covered)
            if not before:
                self._db.executemany(_COUNT_RULE, [(name,) for name in result.rules])
        return result

    def results(self) -> list[CaseResult]:
        """The finished cases by index, with what the log says about them."""
        return _results(self._db)

    def done(self) -> set[int]:
        """The indices of the finished cases, including postponed ones."""
        return {row[0] for row in self._db.execute('SELECT "index" FROM cases')}

    def postponed(self) -> list[Task]:
        """The cases to run again for confirmation."""
        rows = self._db.execute('SELECT text, "index" FROM notes WHERE kind = ? ORDER BY "index"', (POSTPONED,))
        tasks: dict[str, list[int]] = {}
        for text, index in rows:
            tasks.setdefault(text, []).append(index)
        return [Task(json.loads(text), indices) for text, indices in tasks.items()]

    def causes(self) -> list[Distinct]:
        """One finding of each cause that triage has found, reduced where possible, by name."""
        rows = self._db.execute(
            "SELECT t.cause, f.folder, COALESCE(t.record, f.record), t.record IS NOT NULL "
            'FROM findings f JOIN triaged t USING (folder) ORDER BY t.record IS NULL, f."index", f.folder'
        )
        return _distinct((cause, name, json.loads(record), bool(reduced)) for cause, name, record, reduced in rows)

    def groups(self) -> list[Distinct]:
        """One finding of each group without a cause, the one with the fewest operators, by name."""
        rows = self._db.execute(f'SELECT {_GROUP}, folder, record {_WAITING} ORDER BY "index", folder')
        found = [(group, name, json.loads(record), False) for group, name, record in rows]
        return _distinct(sorted(found, key=lambda one: sum(one[2]["operators"].values())))

    def waiting(self) -> list[str]:
        """The group, or the signature, of each finding without a cause."""
        return [group for (group,) in self._db.execute(f"SELECT {_GROUP} {_WAITING}")]

    def findings(self) -> Iterator[tuple[FindingState, str, Mapping[str, Any] | None]]:
        """Every finding, its cause or "", and the record of its reduced form, by index."""
        rows = self._db.execute(
            "SELECT f.record, s.grouped, s.alike, s.culprits, t.cause, t.record FROM findings f "
            'LEFT JOIN sorted s USING (folder) LEFT JOIN triaged t USING (folder) ORDER BY f."index", f.folder'
        )
        for record, grouped, alike, culprits, cause, reduced in rows:
            group = None if grouped is None else Group(grouped, bool(alike))
            state = FindingState.of(json.loads(record), group, culprits or 0)
            yield state, cause or "", json.loads(reduced) if reduced else None

    def add_group(self, name: str, group: Group, culprits: int) -> None:
        """Store the group of a finding that none of the first ``culprits`` culprits accounts for."""
        with self.transaction():
            row = name, group.text, group.alike, culprits
            self._db.execute("INSERT OR REPLACE INTO sorted VALUES (?, ?, ?, ?)", row)

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
            if url:
                self._db.execute("DELETE FROM findings WHERE folder = ?", (triaged.name,))
                self._db.execute("INSERT INTO notes VALUES (?, 'known', ?)", (index, url))
            else:
                record = json.dumps(triaged.record) if triaged.record else None
                self._db.execute(
                    "INSERT INTO triaged VALUES (?, ?, ?, ?)", (triaged.name, triaged.cause, record, triaged.why)
                )
            if triaged.defect:
                self._db.execute("INSERT INTO notes VALUES (?, 'defect', ?)", (index, triaged.defect))

    def join_causes(self, old: str, new: str, why: str) -> None:
        """Attribute the findings of a cause to another one, which has a finding of its own."""
        with self.transaction():
            row = new, why, old
            self._db.execute("UPDATE triaged SET cause = ?, record = NULL, why = ? WHERE cause = ?", row)
            self._db.execute("UPDATE culprits SET cause = ? WHERE cause = ?", (new, old))

    def reasons(self) -> dict[str, str]:
        """Why triage took each duplicate for one, by the name of its folder."""
        return dict(self._db.execute("SELECT folder, why FROM triaged"))

    def add_death(self, work: str) -> None:
        """Store what a process of the campaign did when it died."""
        with self.transaction():
            self._db.execute("INSERT INTO notes VALUES (-1, 'died', ?)", (work,))

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
        rows = self._db.execute("SELECT skipped, COUNT(*) FROM cases WHERE skipped != '' GROUP BY skipped")
        return Counter(dict(rows.fetchall()))

    def accepted(self) -> int:
        """How many programs with a broken constraint the compiler accepted."""
        (count,) = self._db.execute("SELECT COUNT(*) FROM notes WHERE kind = 'accepted'").fetchone()
        return int(count)

    def sizes(self) -> dict[str, int]:
        """How many cases ran with which sizes, for models with symbolic sizes; the smallest sizes come first."""
        found = Counter(text for (text,) in self._db.execute("SELECT text FROM notes WHERE kind = 'sizes'"))
        return dict(sorted(found.items(), key=lambda pair: [int(n) for n in re.findall(r"= (\d+)", pair[0])]))

    def known(self) -> dict[str, int]:
        """How many findings matched each known bug, by the URL of its report."""
        rows = self._db.execute("SELECT text, COUNT(*) FROM notes WHERE kind = 'known' GROUP BY text ORDER BY text")
        return dict(rows.fetchall())

    def programs(self) -> list[tuple[int, int, int]]:
        """For each case its index, the number of tested pairs, and the number of judged programs."""
        return self._db.execute('SELECT "index", pairs, programs FROM cases ORDER BY "index"').fetchall()

    def rules(self) -> dict[str, int]:
        """The rules that fired, and the number of cases in whose e-graphs they did."""
        return dict(self._db.execute("SELECT name, cases FROM rules ORDER BY name").fetchall())

    def fired(self, rule: str) -> tuple[int, int]:
        """In the e-graphs of how many tested cases a rule fired, and the number of tested cases."""
        row = self._db.execute("SELECT cases FROM rules WHERE name = ?", (rule,)).fetchone()
        (tested,) = self._db.execute("SELECT COUNT(*) FROM cases WHERE pairs > 0").fetchone()
        return (row[0] if row else 0), tested

    def summary(self) -> dict[str, Any]:
        """The counts of ``fuzz --json``; ``findings`` counts causes, and groups without a cause."""
        rows = self._db.execute("SELECT pairs, skipped, programs, packs FROM cases").fetchall()
        skipped = Counter(reason.split(":")[0] for _, reason, *_ in rows if reason)
        waiting = self.waiting()
        causes = len(self.causes())
        by_kind = Counter(kind for (kind,) in self._db.execute("SELECT kind FROM findings"))
        notes = Counter(kind for (kind,) in self._db.execute("SELECT kind FROM notes"))
        if notes["flaky"]:
            by_kind["flaky"] = notes["flaky"]
        if notes["duplicates"]:
            by_kind["duplicate"] = notes["duplicates"]
        if notes[POSTPONED]:
            by_kind[POSTPONED] = notes[POSTPONED]
        return {
            "tested": sum(pairs > 0 for pairs, *_ in rows),
            "skipped": sum(skipped.values()),
            "skipped_reasons": dict(skipped),
            "pairs": sum(pairs for pairs, *_ in rows),
            "programs": sum(programs for _, _, programs, _ in rows),
            "packs": sum(packs for *_, packs in rows),
            "unsound_variants": notes["unsound"],
            "defects": notes["defect"],
            "died": notes["died"],
            "disturbed": notes["disturbed"],
            "findings": causes + len({*waiting}),
            "raw_findings": self._db.execute("SELECT COUNT(*) FROM findings").fetchone()[0],
            "causes": causes,
            "untriaged": len(waiting),
            "by_kind": dict(by_kind),
            "known": self.known(),
            "share": self._shares(),
        }

    def _shares(self) -> dict[str, float]:
        spent = Counter({TRIAGE: float(self.meta("triage_s") or 0)})
        for seconds in self._seconds():
            spent.update(seconds)
        del spent[PROBE]
        total = sum(spent.values()) or 1.0
        return {activity: round(spent[activity] / total, 4) for activity in SHARES}


def _results(db: sqlite3.Connection) -> list[CaseResult]:
    notes: dict[tuple[int, str], list[str]] = {}
    for index, kind, text in db.execute('SELECT "index", kind, text FROM notes'):
        notes.setdefault((index, kind), []).append(text)
    for index, text in db.execute('SELECT "index", record FROM findings'):
        notes.setdefault((index, "finding"), []).append(text)

    def result(index: int, pairs: int, skipped: str, seconds: str) -> CaseResult:
        listed: dict[str, Any] = {kind: notes.get((index, kind), ()) for kind in LISTED}
        single: dict[str, Any] = {kind: "".join(notes.get((index, kind), ())) for kind in ("accepted", "defect")}
        return CaseResult(
            index=index,
            pairs=pairs,
            skipped=skipped,
            findings=[FindingRecord(**json.loads(text)) for text in notes.get((index, "finding"), ())],
            postponed=[index] if (index, POSTPONED) in notes else (),
            seconds=json.loads(seconds),
            **listed,
            **single,
        )

    rows = db.execute('SELECT "index", pairs, skipped, seconds FROM cases ORDER BY "index"').fetchall()
    return [result(*row) for row in rows]
