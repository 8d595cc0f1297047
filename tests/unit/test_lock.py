"""The locks of a campaign's folder, and what a campaign removes that a kill has cut off."""

from __future__ import annotations

import multiprocessing
import signal
from pathlib import Path

import pytest

from polyjuice.campaign import store as stores
from polyjuice.campaign.config import Config
from polyjuice.campaign.lock import LOCK, PROCESSES, Lock, Locked, Running, campaign_of, hold_campaign_lock
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.store import NoCampaign, Store
from polyjuice.triage.automatic import Triaged
from polyjuice.triage.causes import KnownCulprit


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
    store.add(CaseResult(index=3, pairs=1), 1.0)
    store.add(CaseResult(index=5, pairs=1, postponed=[5]), 1.0)
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
