"""A campaign's folder: files that are removed if the campaign cannot begin, and databases that are refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Timing
from polyjuice.campaign.seeds import IMPORTED
from polyjuice.campaign.store import Store
from polyjuice.campaign.triage import Triage
from polyjuice.execution import Artifact
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.user_model import UserModel
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.triage import FindingRecord
from polyjuice.triage.automatic import Group, Triaged
from tests.support.commands import refusal


def model() -> UserModel:
    build = GraphBuilder()
    graph = build.build([build.op("Relu", build.input(TensorType("float32", (2,))))])
    return UserModel(
        graph=graph,
        artifact=Artifact(format="torch", source="x", arrays={"w": np.ones(2)}),
        examples=(np.ones(2, np.float32),),
    )


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
def test_a_campaign_of_another_form_is_refused_in_one_line(tmp_path: Path, change: str, version: str) -> None:
    Store.create(tmp_path / "campaign", Config(compiler="numpy")).close()
    with closing(sqlite3.connect(tmp_path / "campaign/campaign.sqlite")) as db, db:
        db.execute(change)
    expected = f"campaign.sqlite: Polyjuice {version} wrote it in another form: open it with that version"
    for arguments in (["report"], ["known", "check"], ["fuzz", "--resume"]):
        assert expected in refusal(*arguments[1:], tmp_path / "campaign", command=arguments[0], cwd=tmp_path)


def test_a_finding_has_the_cause_of_its_group_where_that_is_certain(tmp_path: Path) -> None:
    """A wrong result must have the pattern of the cause, and no part of the compiler may be to blame."""
    found: list[tuple[str, str, Group, str, Mapping[str, Any] | None]] = [
        ("a part", "mismatch", Group("of Neg", True), "by a", {"kind": "mismatch", "blame": ["a"]}),
        ("more", "mismatch", Group("of Abs", True), "of Abs", {"kind": "mismatch", "blame": [], "pattern": ["Abs"]}),
        ("not alike", "mismatch", Group("exact", False), "exact", {"kind": "mismatch", "blame": []}),
        ("failure", "crash", Group("crash", True), "crash by a", {"kind": "crash", "blame": ["a"]}),
        ("one cause", "mismatch", Group("of Add", True), "of Add", {"kind": "mismatch", "blame": []}),
        ("another", "mismatch", Group("of Mul", True), "of Mul", {"kind": "mismatch", "blame": []}),
        ("third", "mismatch", Group("of Mul", True), "of Add", None),
    ]
    config = Config(compiler="numpy", cases=9, workers=2)
    store = Store.create(tmp_path / "campaign", config)
    store.add(CaseResult(index=0, findings=[finding(name, kind) for name, kind, *_ in found]), 1.0)
    for name, _, group, cause, record in found:
        store.add_group(name, group, 0)
        whole = record and {
            **asdict(finding(name, record["kind"])),
            **record,
            "bisection": {},
            "reduction": {"from": 1},
        }
        store.add_triaged(Triaged(name=name, cause=cause, record=whole))
        write(tmp_path / "campaign/raw" / name, asdict(finding(name)))
        write(tmp_path / "campaign/raw" / name / "reduced", whole or {})
    triage = Triage(config, store)
    new = {f"new {name}": (kind, group) for name, kind, group, *_ in found}
    store.add(CaseResult(index=1, findings=[finding(name, kind) for name, (kind, _) in new.items()]), 1.0)
    triage.add([finding(name, kind) for name, (kind, _) in new.items()])
    job = triage.next(Timing(time_s=None, before={}, began=0.0), cases=False)
    assert job
    assert job.sorts
    triage.finish(job, [Triaged(name=folder.name, group=new[folder.name][1]) for folder in job.folders])
    causes = {state.name: cause for state, cause, _ in store.findings() if state.name in new and cause}
    assert causes == {"new failure": "crash by a", "new one cause": "of Add"}
    store.close()


def finding(name: str, kind: str = "mismatch") -> FindingRecord:
    return FindingRecord(
        kind=kind,
        oracle="metamorphic",
        compiler="numpy",
        versions={"numpy": "1", "python": "3"},
        seed=0,
        index=0,
        profile="exact",
        comparison="bitwise",
        signature=name,
        message="differs",
        a="min",
        b="max",
        culprit="",
        rules=(),
        operators={"min": 1, "max": 1},
        idioms={},
        broken="",
        regression="",
        repro_exit=1,
        folder=name,
        output=0,
        inputs=0,
        profiles=["exact"],
        level="",
        conditions={},
        choices={},
    )


def write(folder: Path, record: Mapping[str, Any]) -> None:
    folder.mkdir()
    (folder / "finding.json").write_text(json.dumps(record))


def test_a_damaged_database_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    Store.create(folder, Config(compiler="numpy")).close()
    file = folder / "campaign.sqlite"
    with closing(sqlite3.connect(file)) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'findings'")
        ((size,),) = db.execute("PRAGMA page_size")
    data = bytearray(file.read_bytes())
    data[(page - 1) * size : page * size] = bytes(size)
    file.write_bytes(data)
    for arguments in (["report"], ["known", "check"], ["fuzz", "--resume"]):
        message = refusal(*arguments[1:], folder, command=arguments[0], cwd=tmp_path)
        assert "campaign.sqlite cannot be read: database disk image is malformed" in message


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
def test_a_database_with_damaged_values_is_refused_in_one_line(tmp_path: Path, change: str, problem: str) -> None:
    Store.create(tmp_path / "campaign", Config(compiler="numpy", cases=1)).close()
    with closing(sqlite3.connect(tmp_path / "campaign/campaign.sqlite")) as db, db:
        db.execute(change)
    assert problem in refusal("--resume", tmp_path / "campaign")
