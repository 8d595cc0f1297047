"""The processes of a campaign: one that has done many tasks is replaced, and nothing of it stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from polyjuice.campaign import pool
from polyjuice.campaign.config import Config
from polyjuice.campaign.pool import Processes, Setup


def test_a_process_is_replaced_after_a_number_of_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks wait in its queue at that time: it still does them."""
    monkeypatch.setattr(pool, "_TASKS", 3)
    setup = Setup(config=Config(compiler="numpy", workers=1), folder=tmp_path, rules=(), reported=dict)
    processes = Processes(setup)
    futures = [processes.submit(os.getpid) for _ in range(8)]
    pids = [future.result(60) for future in futures]
    assert [processes.died(future) for future in futures] == [False] * 8
    assert [pids.index(pid) for pid in pids] == [0, 0, 0, 3, 3, 3, 6, 6]
    processes.shutdown()
    deadline = time.monotonic() + 60
    while left := [pid for pid in set(pids) if Path(f"/proc/{pid}").exists()]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)
    assert not [folder for folder in processes._folders if Path(folder).exists()]
