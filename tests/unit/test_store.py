"""A campaign's folder: files that are removed if the campaign cannot begin, and fields that older versions lack."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyjuice.campaign.config import Config
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.seeds import IMPORTED
from polyjuice.campaign.store import Store
from polyjuice.execution import Artifact
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder
from polyjuice.triage.automatic import Triaged
from polyjuice.triage.groups import Group
from polyjuice.user_models import UserModel, files
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


def test_a_campaign_of_an_earlier_version_goes_on_without_the_counts_that_it_lacks(tmp_path: Path) -> None:
    """Such a campaign did not count programs, and did not separate the time of cases from that of triage."""
    store = Store.create(tmp_path / "campaign", Config(compiler="numpy"))
    store.add(CaseResult(index=0, pairs=1, programs=2, seconds={"run": 6.0, "probe": 2.0}), 10.0, probe_s=1.0)
    store.close()
    db = sqlite3.connect(tmp_path / "campaign/campaign.sqlite")
    for name in ("programs", "packs"):
        db.execute(f"ALTER TABLE cases DROP COLUMN {name}")
    db.commit()
    db.close()
    store, _ = Store.open(tmp_path / "campaign")
    assert store.spent(2) == {"elapsed_s": 10.0, "probe_s": 1.0, "cases_s": 9.0, "busy_s": 3.0}
    store.add(CaseResult(index=1, pairs=1, programs=2, packs=1), **{**store.spent(2), "busy_s": 5.0})
    summary = store.summary()
    assert (summary["tested"], summary["pairs"], summary["programs"], summary["packs"]) == (2, 2, 2, 1)
    assert store.spent(1)["busy_s"] == 5.0


def test_a_campaign_of_an_earlier_version_does_not_say_which_case_covered_what(tmp_path: Path) -> None:
    first, second = ("Add", "int32", "type", ""), ("Add", "int32", "size", "1")
    store = Store.create(tmp_path / "campaign", Config(compiler="numpy"))
    store.add(CaseResult(index=0, pairs=1, covered=[first]), 1.0)
    store.close()
    with closing(sqlite3.connect(tmp_path / "campaign/campaign.sqlite")) as db, db:
        db.execute('ALTER TABLE covered DROP COLUMN "index"')
    store, _ = Store.open(tmp_path / "campaign")
    store.add(CaseResult(index=1, pairs=1, covered=[first, second]), 2.0)
    assert sorted(store.covered()) == sorted([first, second])
    assert store.growth() == [(0, 0, 0, 0), (1, 0, 1, 0)]
    store.close()


def test_a_group_has_the_cause_that_has_its_blame(tmp_path: Path) -> None:
    """Whether the finding of the group that was triaged is the first one of this cause makes no difference."""
    found: list[tuple[str, str, Group, str, Mapping[str, Any] | None]] = [
        ("first", "mismatch", Group("by a and b", True, ("a", "b")), "by a", {"blame": ["a"]}),
        ("same blame", "mismatch", Group("by a", True, ("a",)), "by a", None),
        ("other blame", "mismatch", Group("by b", True, ("b",)), "by a", None),
        ("not alike", "mismatch", Group("exact", False), "exact", {"blame": []}),
        ("failure", "crash", Group("crash", True), "crash by a", {"blame": ["a"]}),
        ("one cause", "mismatch", Group("of Add", True), "of Add", {"blame": []}),
        ("another", "mismatch", Group("of Mul", True), "of Mul", {"blame": []}),
        ("third", "mismatch", Group("of Mul", True), "of Add", None),
    ]
    store = Store.create(tmp_path / "campaign", Config(compiler="numpy"))
    with closing(sqlite3.connect(tmp_path / "campaign/campaign.sqlite")) as db, db:
        db.executemany("INSERT INTO findings VALUES (?, 0, ?, '', '{}')", [one[:2] for one in found])
    for name, _, group, cause, record in found:
        store.add_group(name, group, 0)
        store.add_triaged(Triaged(name=name, cause=cause, record=record))
    assert store.causes_of_groups() == {"by a": "by a", "crash": "crash by a", "of Add": "of Add"}
    store.close()


def test_a_damaged_database_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    Store.create(folder, Config(compiler="numpy")).close()
    file = folder / "campaign.sqlite"
    with closing(sqlite3.connect(file)) as db:
        ((page,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'notes'")
        ((size,),) = db.execute("PRAGMA page_size")
    data = bytearray(file.read_bytes())
    data[(page - 1) * size : page * size] = bytes(size)
    file.write_bytes(data)
    for arguments in (["report"], ["known", "check"], ["fuzz", "--resume"]):
        message = refusal(*arguments[1:], folder, command=arguments[0], cwd=tmp_path)
        assert message.startswith("the campaign's database is damaged")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("INSERT INTO cases VALUES (0, 0, '', '{', 0, 0)", "cannot be read: "),
        ("INSERT INTO sorted VALUES ('f', 'c', 0, '{}', 0)", "cannot be read: sorted.blame must be a list"),
        ("INSERT INTO notes VALUES (0, 'accepted', CAST(x'ff' AS TEXT))", "database is damaged (Could not decode"),
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
