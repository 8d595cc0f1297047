"""A campaign's folder: what is taken back where a campaign could not begin."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from polyjuice.campaign.config import Config
from polyjuice.campaign.seeds import IMPORTED
from polyjuice.campaign.store import Store
from polyjuice.execution import Artifact
from polyjuice.given import UserModel, files
from polyjuice.ir import TensorType
from polyjuice.ops import GraphBuilder


def model() -> UserModel:
    build = GraphBuilder()
    graph = build.build([build.op("Relu", build.input(TensorType("float32", (2,))))])
    return UserModel(graph, Artifact("torch", "x", {"w": np.ones(2)}), (np.ones(2, np.float32),))


def test_a_campaign_that_could_not_begin_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    store = Store.create(folder, Config("eager"))
    files.save(folder / IMPORTED, "0", model())
    (folder / IMPORTED / "1.txt").write_text("it cannot be read")
    assert {path.suffix for path in (folder / IMPORTED).iterdir()} == {".json", ".npz", ".py", ".onnx", ".txt"}
    store.abandon()
    assert not folder.exists()


def test_what_is_the_users_stays(tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    (folder / IMPORTED).mkdir(parents=True)
    (folder / IMPORTED / "mine.txt").write_text("mine")
    store = Store.create(folder, Config("eager"))
    files.save(folder / IMPORTED, "0", model())
    store.abandon()
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["mine.txt"]
