"""A campaign's folder: its database, its locks, and the options that ``--resume`` takes once more."""

from __future__ import annotations

import json
import multiprocessing
import re
import signal
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.campaign import store as stores
from polyjuice.campaign.config import OPTIONS, Config, Usage
from polyjuice.campaign.lock import LOCK, PROCESSES, Lock, Locked, Running, campaign_of, hold_campaign_lock
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Timing
from polyjuice.campaign.seeds import IMPORTED
from polyjuice.campaign.store import NoCampaign, Store
from polyjuice.campaign.triage import Triage
from polyjuice.cli import summary
from polyjuice.execution import Artifact
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.user_model import UserModel
from polyjuice.triage.automatic import Group, Triaged
from polyjuice.triage.causes import KnownCulprit
from tests.support.commands import ROOT, refusal
from tests.support.findings import named
from tests.support.graphs import apply


def model() -> UserModel:
    artifact = Artifact(format="torch", source="x", arrays={"w": np.ones(2)})
    return UserModel(graph=apply("Relu", "float32[2]"), artifact=artifact, examples=(np.ones(2, np.float32),))


def test_a_campaign_that_could_not_begin_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    store = Store.create(folder, Config(compiler="eager"))
    files.save(folder / IMPORTED, "0", [model()])
    (folder / IMPORTED / "1.txt").write_text("it cannot be read")
    assert {path.suffix for path in (folder / IMPORTED).iterdir()} == {".json", ".npz", ".py", ".onnx", ".txt"}
    store.abandon()
    assert not folder.exists()


def test_a_campaign_that_cannot_go_on_stays(tmp_path: Path) -> None:
    Store.create(tmp_path / "campaign", Config(compiler="eager")).close()
    store, _ = Store.open(tmp_path / "campaign")
    store.abandon()
    assert Store.open(tmp_path / "campaign")[1].compiler == "eager"


def test_what_is_the_users_stays(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    (folder / IMPORTED).mkdir(parents=True)
    (folder / IMPORTED / "mine.txt").write_text("mine")
    store = Store.create(folder, Config(compiler="eager"))
    files.save(folder / IMPORTED, "0", [model()])
    store.abandon()
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("change", "version"),
    [
        ("DELETE FROM meta WHERE key IN ('form', 'polyjuice')", "0.2.0 or an earlier version"),
        ("UPDATE meta SET value = '9' WHERE key IN ('form', 'polyjuice')", "9"),
    ],
)
def test_a_campaign_of_another_form_is_refused_in_one_line(folder: Path, change: str, version: str) -> None:
    execute(folder, change)
    expected = f"campaign.sqlite: Polyjuice {version} wrote it in another form: open it with that version"
    assert [message for message in refusals(folder) if expected not in message] == []


def test_a_finding_has_the_cause_of_its_group_where_that_is_certain(tmp_path: Path) -> None:
    """A wrong result must have the pattern of the cause, and no part of the compiler may be to blame."""
    found: list[tuple[str, str, Group, str, Mapping[str, Any] | None]] = [
        ("a part", "mismatch", Group("of Neg", True), "by a", {"kind": "mismatch", "blame": ["a"]}),
        ("more", "mismatch", Group("of Abs", True), "of Abs", {"kind": "mismatch", "blame": [], "pattern": ["Abs"]}),
        ("not alike", "mismatch", Group("exact", False), "exact", {"kind": "mismatch", "blame": []}),
        ("failure", "crash", Group("crash", True), "crash by a", {"kind": "crash", "blame": ["a"]}),
        ("one cause", "mismatch", Group("of Add", True), "of Add", {"kind": "mismatch", "blame": []}),
        ("another", "mismatch", Group("of Mul", True), "of Mul", {"kind": "mismatch", "blame": [], "b": ""}),
        ("third", "mismatch", Group("of Mul", True), "of Add", None),
    ]
    config = Config(compiler="numpy", cases=9, workers=2)
    store = Store.create(tmp_path / "campaign", config)
    store.add(CaseResult(index=0, findings=[named(name, kind) for name, kind, *_ in found]), 1.0)
    for name, _, group, cause, record in found:
        store.add_group(name, group, 0)
        whole = record and {
            **asdict(named(name, record["kind"])),
            **record,
            "bisection": {},
            "reduction": {"from": 1},
        }
        store.add_triaged(Triaged(name=name, cause=cause, record=whole))
        write(tmp_path / "campaign/raw" / name, asdict(named(name)))
        write(tmp_path / "campaign/raw" / name / "reduced", whole or {})
    triage = Triage(config, store)
    new = {f"new {name}": (kind, group) for name, kind, group, *_ in found}
    store.add(CaseResult(index=1, findings=[named(name, kind) for name, (kind, _) in new.items()]), 1.0)
    triage.add([named(name, kind) for name, (kind, _) in new.items()])
    job = triage.next(Timing(time_s=None, before={}, began=0.0), 2, cases=False)
    assert job
    assert job.sorts
    triage.finish(job, [Triaged(name=name, group=new[name][1]) for name in job.names])
    causes = {state.name: cause for state, cause, _ in store.findings() if state.name in new and cause}
    assert causes == {"new failure": "crash by a", "new one cause": "of Add"}
    summary = store.summary()
    assert summary["causes_of_pairs"] == summary["causes"] - 1, "one program shows `of Mul` by itself"
    store.close()


def test_a_short_campaign_triages_an_exactly_wrong_value_while_cases_run(tmp_path: Path) -> None:
    """A cause of another kind is there, but a wrong value is what people want to see first."""
    config = Config(compiler="numpy", time_s=120.0, workers=2, show_known=True)
    store = Store.create(tmp_path / "campaign", config)
    triage = Triage(config, store)
    timing = Timing(time_s=120.0, before={}, began=time.monotonic())

    def triaged(name: str, kind: str, comparison: str) -> bool:
        """Whether a new finding is triaged at once; if so, it is a cause of its own."""
        record = replace(named(name, kind), comparison=comparison)
        store.add(CaseResult(index=0, findings=[record]), 1.0)
        write(tmp_path / "campaign/raw" / name, asdict(record))
        write(tmp_path / "campaign/raw" / name / "reduced", {**asdict(record), "reduction": {"from": name}})
        triage.add([record])
        jobs = 0
        while job := triage.next(timing, 2, cases=True):
            group = Group(f"of {name}") if job.sorts else None
            reduced = {**asdict(record), "reduction": {"from": name}, "cause": name}
            triage.finish(job, [Triaged(name=name, group=group, cause=name, record=None if group else reduced)])
            jobs += 1
        return jobs > 0

    assert triaged("strides", "strides", "bitwise")
    assert not triaged("a crash", "crash", "bitwise")
    assert not triaged("within a bound", "mismatch", "bounded")
    assert triaged("exact", "mismatch", "bitwise")
    assert not triaged("another", "mismatch", "bitwise")
    store.close()


def write(folder: Path, record: Mapping[str, Any]) -> None:
    folder.mkdir()
    (folder / "finding.json").write_text(json.dumps(record))


def test_a_damaged_database_is_refused_in_one_line(folder: Path) -> None:
    file = folder / "campaign.sqlite"
    with closing(sqlite3.connect(file)) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'findings'")
        ((size,),) = db.execute("PRAGMA page_size")
    data = bytearray(file.read_bytes())
    data[(page - 1) * size : page * size] = bytes(size)
    file.write_bytes(data)
    expected = "campaign.sqlite cannot be read: database disk image is malformed"
    assert [message for message in refusals(folder) if expected not in message] == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("INSERT INTO cases VALUES (0, '{')", "cannot be read: "),
        ("INSERT INTO cases VALUES (0, '{}')", "cannot be read: cases.result has no 'index'"),
        ("INSERT INTO culprits VALUES (1, 'k', 'c', '{}', '[]')", "cannot be read: culprits.blame must be a list"),
        ("INSERT INTO rules VALUES (CAST(x'ff' AS TEXT), 1)", "database is damaged (Could not decode"),
        ("UPDATE meta SET value = '[' WHERE key = 'config'", "has a configuration that cannot be read: "),
        ("UPDATE meta SET value = '{}' WHERE key = 'config'", "cannot be read: it has no 'compiler'"),
        ("""UPDATE meta SET value = '{"compilers": 1}' WHERE key = 'config'""", "there is no option 'compilers'"),
    ],
)
def test_a_database_with_damaged_values_is_refused_in_one_line(folder: Path, change: str, problem: str) -> None:
    execute(folder, change)
    assert problem in refusal("--resume", folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a campaign that has begun."""
    config = Config(compiler="numpy", cases=1, only_rules=("add-commutative",))
    Store.create(tmp_path / "campaign", config).close()
    return tmp_path / "campaign"


def execute(folder: Path, change: str) -> None:
    with closing(sqlite3.connect(folder / "campaign.sqlite")) as db, db:
        db.execute(change)


def refusals(folder: Path) -> list[str]:
    """What commands say that read a campaign."""
    commands = (["report"], ["known", "check"], ["fuzz", "--resume"])
    return [refusal(*rest, folder, command=command, cwd=folder.parent) for command, *rest in commands]


def test_a_lock_is_for_one_or_shared(tmp_path: Path) -> None:
    one = Lock(tmp_path / LOCK)
    with pytest.raises(Locked):
        Lock(tmp_path / LOCK)
    with pytest.raises(Locked):
        Lock(tmp_path / LOCK, shared=True)
    one.release()
    first, second = Lock(tmp_path / LOCK, shared=True), Lock(tmp_path / LOCK, shared=True)
    with pytest.raises(Locked):
        Lock(tmp_path / LOCK)
    first.release()
    second.release()
    Lock(tmp_path / LOCK).release()


def hold(path: Path) -> None:
    Lock(path)
    signal.raise_signal(signal.SIGKILL)


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    process = multiprocessing.get_context("fork").Process(target=hold, args=(tmp_path / LOCK,))
    process.start()
    process.join()
    assert process.exitcode == -9
    Lock(tmp_path / LOCK).release()


def test_findings_of_a_running_campaign_are_not_written(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "c", Config(compiler="numpy"))
    finding = tmp_path / "c/findings/000001-0-mismatch"
    assert campaign_of(finding) == campaign_of(finding / "reduced") == tmp_path / "c"
    assert campaign_of(tmp_path / "elsewhere/000001-0-mismatch") is None
    with pytest.raises(Running, match="is running"), hold_campaign_lock(tmp_path / "c"):
        raise AssertionError("the block must not begin")
    store.close()
    with hold_campaign_lock(tmp_path / "c"), pytest.raises(NoCampaign, match="writes into its findings"):
        Store.open(tmp_path / "c")[0].claim()
    with hold_campaign_lock(None):
        pass


def test_a_campaign_waits_for_the_processes_of_its_killed_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.create(tmp_path / "c", Config(compiler="numpy")).close()
    process = Lock(tmp_path / "c" / PROCESSES, shared=True)
    monkeypatch.setattr(stores, "_ENDING_S", 0.0)
    store, _ = Store.open(tmp_path / "c")
    with pytest.raises(NoCampaign, match="still run"):
        store.claim()
    store.close()
    process.release()
    store, _ = Store.open(tmp_path / "c")
    store.claim()
    store.close()


def test_a_new_campaign_takes_the_place_of_one_whose_creation_was_cut_off(tmp_path: Path) -> None:
    for name in ("raw", "findings"):
        (tmp_path / name).mkdir()
    (tmp_path / "campaign.new").write_bytes(b"half")
    Store.create(tmp_path, Config(compiler="numpy", seed=7)).close()
    assert Store.open(tmp_path)[1].seed == 7
    assert not (tmp_path / "campaign.new").exists()


def test_what_a_kill_has_cut_off_is_removed(tmp_path: Path) -> None:
    """Folders of stored cases stay, also without a row: the triage of a known bug deletes the row."""
    store = Store.create(tmp_path, Config(compiler="numpy"))
    store.add(CaseResult(index=3, programs=1), 1.0)
    store.add(CaseResult(index=5, programs=1, postponed=[5]), 1.0)
    store.close()
    for name in ("000003-0-mismatch", "000004-0-mismatch", "000005-0-mismatch", ".000003-1-mismatch"):
        (tmp_path / "raw" / name).mkdir()
    (tmp_path / "raw/000003-0-mismatch/.reduced").mkdir()
    store, _ = Store.open(tmp_path)
    store.claim()
    store.close()
    assert [path.name for path in (tmp_path / "raw").rglob("*")] == ["000003-0-mismatch"]


def test_a_transaction_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    store = Store.create(tmp_path, Config(compiler="numpy"))
    culprit = KnownCulprit("mismatch", "mismatch by x of Add: wrong values", ("x",), ("Add",))

    @store.transaction()
    def write() -> None:
        store.add_culprits([culprit])
        store.set_meta("key", "value")
        store.add_triaged(Triaged(name="no such finding"))

    with pytest.raises(TypeError):
        write()
    assert (store.culprits(), store.meta("key")) == ([], None)
    store.add_culprits([culprit])
    store.close()
    assert Store.open(tmp_path)[0].culprits() == [culprit]


BEGUN = Config(compiler="numpy", cases=3, seed=7, rules=("/r.egg",))


def refused(**given: Any) -> str:
    with pytest.raises(Usage) as error:
        BEGUN.refuse_changes(given, Path("c"))
    return str(error.value)


def test_equal_options_are_taken_and_different_ones_are_named() -> None:
    BEGUN.refuse_changes({"compiler": "numpy", "seed": 7, "rules": [Path("/r.egg")], "pack": "auto"}, Path("c"))
    message = refused(seed=8)
    assert "--seed: the campaign in c began with 7, not 8" in message
    changeable = "--time, -n, --python, --workers, --cluster, --known, --show-known, --triage, --max-skipped"
    assert f"(what --resume may change: {changeable})" in message
    assert "--rules: the campaign in c began with /r.egg, not /s.egg" in refused(rules=[Path("/s.egg")])
    assert "--level: the campaign in c began with the default, not O1" in refused(level="O1")


def test_an_option_that_may_change_replaces_the_value() -> None:
    assert BEGUN.changed({"time_s": "2m"}) == replace(BEGUN, cases=None, time_s=120.0)
    assert BEGUN.changed({"cases": 9, "workers": 2}) == replace(BEGUN, cases=9, workers=2)
    assert BEGUN.changed({"cluster": "auto"}) == replace(BEGUN, cluster="auto", workers=0)
    assert BEGUN.changed({"cluster": "none", "workers": 2}) == replace(BEGUN, cluster="", workers=2)
    assert BEGUN.changed({"triage_s": "0s", "max_skipped": 0.0}) == replace(BEGUN, triage_s=0.0, max_skipped=0.0)


@pytest.mark.parametrize(
    ("page", "begin", "options"),
    [
        ("howto/campaigns", "These options may change:", {o.flag for o in OPTIONS.values() if o.resumable}),
        ("settings", "The file cannot set these options of one campaign:",
         {o.flag for o in OPTIONS.values() if not o.in_file} - {"--python"} | {"--out", "--resume", "--json"}),
        ("settings", "Other commands take these options, too, where they have them:",
         {o.flag for o in OPTIONS.values() if o.shared} | {"--known"}),
    ],
)  # fmt: skip
def test_a_page_lists_the_options_that_the_table_has(page: str, begin: str, options: set[str]) -> None:
    _, rest = " ".join((ROOT / f"docs/{page}.md").read_text().split()).split(begin)
    assert set(re.findall("`(-[^`]+)`", rest.split(". ")[0])) == options


@pytest.mark.parametrize(
    ("changed", "results", "is_finished"),
    [
        ({"cases": 2}, [{}, {}], True),
        ({"cases": 2}, [{}], False),
        ({"cases": 2}, [{}, {"postponed": [1]}], False),
        ({"time_s": 10.0}, [{}], True),
        ({"time_s": 60.0}, [{}], False),
    ],
)
def test_a_campaign_is_finished_once_nothing_is_left(
    tmp_path: Path, changed: dict[str, Any], results: list[dict[str, Any]], is_finished: bool
) -> None:
    config = Config(compiler="numpy", **changed)
    store = Store.create(tmp_path, config)
    for index, result in enumerate(results):
        store.add(CaseResult(index=index, programs=1, **result), 20.0, cases_s=20.0)
    assert bool(summary.finished(store, config)) == is_finished
    store.close()


@pytest.mark.parametrize(
    ("cases", "changed", "allowed"),
    [
        (3, {}, 1),
        (100, {}, 20),
        (100, {"max_skipped": 0.0}, 0),
        (100, {"only_rules": ("r",)}, 100),
        (100, {"only_rules": ("r",), "max_skipped": 5.0}, 5),
    ],
)
def test_the_cases_that_may_be_skipped_are_rounded_up(cases: int, changed: dict[str, Any], allowed: int) -> None:
    assert Config(compiler="numpy", **changed).may_skip(cases) == allowed


def why(tmp_path: Path, skipped: list[str], tested: int) -> str:
    config = Config(compiler="numpy")
    store = Store.create(tmp_path, config)
    for index, reason in enumerate([*skipped, *[""] * tested]):
        store.add(CaseResult(index=index, programs=0 if reason else 1, skipped=reason), 1.0)
    answer = summary.too_little(store.summary(), store, config)
    store.close()
    return answer


def test_a_campaign_that_tested_too_little_says_the_three_most_frequent_reasons(tmp_path: Path) -> None:
    reasons = ["unsupported: no Erf", "unsupported: no Erf", "unsupported: no Cos", *["no value: NaN"] * 2]
    reasons += ["identical: all variants are the same graph", *["late"] * 2]
    answer = why(tmp_path / "a", reasons, 20)
    assert answer.startswith("8 of 28 cases were skipped, more than --max-skipped allows (6): ")
    assert "3 unsupported (no Erf), 2 late, 2 no value (NaN); the log is " in answer
    assert why(tmp_path / "b", ["unsupported: no Erf"], 2) == ""
    assert "tested nothing: no case ended" in why(tmp_path / "c", [], 0)
