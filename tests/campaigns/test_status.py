"""``polyjuice status``: campaigns that run, that ended, and that were stopped."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign.store import Store
from tests.support.commands import ONE_RULE, PLAIN, fuzz, polyjuice, refusal, save_model
from tests.support.plugins import plugin, wrong_without


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign that ended with one cause."""
    folder = tmp_path_factory.mktemp("status")
    env = plugin(folder / "site", wrong_without("Relu"), name="wrong")
    options = ("--compiler", "wrong", "-n", 2, "--seeds", save_model(folder / "relu.onnx"))
    status, _ = fuzz(folder / "c", *options, *ONE_RULE, "--oracle", "metamorphic", "--triage", "60s", env=env)
    assert status == 1
    return folder / "c"


def states(*folders: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(polyjuice("status", *folders, "--json").stdout)["campaigns"]
    return found


def test_a_campaign_that_ended_says_what_it_found(campaign: Path) -> None:
    (found,) = states(campaign)
    assert (found["state"], found["finished"], found["tested"], found["causes"]) == ("ended", True, 2, 1)
    assert 0 <= found["last_cause_s"] < time.time() - (campaign / "campaign.sqlite").stat().st_ctime + 60
    text = polyjuice("status", campaign).stdout
    assert "ended after" in text
    assert "2 findings, 1 cause; the last new cause" in text


def test_a_campaign_that_runs_says_what_it_does_and_what_hangs(campaign: Path, tmp_path: Path) -> None:
    status, _ = fuzz(tmp_path / "c", "--compiler", "numpy", "-n", 2, "--seeds", "small", *PLAIN)
    assert status == 0
    store, _ = Store.open(tmp_path / "c")
    now = time.time()
    tasks = [["case 7", now - 1000.0], ["case 8 and 3 more", now - 5.0]]
    store.set_meta("now", json.dumps({"phase": "testing", "at": now - 95.0, "tasks": tasks}))
    with closing(store):
        assert states(tmp_path / "c")[0]["state"] == "ended"
        store.claim()
        first, second = states(tmp_path / "c", campaign)
        assert (first["state"], first["phase"], first["hangs"]) == ("running", "testing", ["case 7"])
        text = polyjuice("status", tmp_path / "c", campaign).stdout
    assert "running: testing" in text
    assert "2 tasks; the oldest, case 7, for 16 min" in text
    assert "probably: case 7" in text
    assert "its main process has said nothing for 1 min" in text
    assert "2 campaigns, 1 running: 4 cases" in text
    assert second["state"] == "ended"


def test_a_campaign_that_was_stopped_says_how_to_go_on(tmp_path: Path) -> None:
    fuzz(tmp_path / "c", "--compiler", "numpy", "-n", 1, "--seeds", "small", *PLAIN)
    store, config = Store.open(tmp_path / "c")
    with closing(store):
        store.set_config(config.changed({"cases": 9}))
    assert f"stopped before its end; continue it with: polyjuice fuzz --resume {tmp_path / 'c'}" in (
        polyjuice("status", tmp_path / "c").stdout
    )
    assert "holds no campaign" in refusal(tmp_path, command="status")
