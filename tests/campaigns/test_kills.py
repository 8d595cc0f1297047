"""A campaign that is killed at random moments, and resumed each time, ends as one that is left alone."""

from __future__ import annotations

import random
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.faulty_campaign import Campaign, wait_for_a_moment

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc"),
]

CASES, KILLS = 60, 50


@pytest.mark.parametrize(
    ("workers", "number", "status"), [(1, signal.SIGKILL, -9), (2, signal.SIGKILL, -9), (2, signal.SIGTERM, 130)]
)
def test_a_killed_campaign_ends_as_one_that_is_left_alone(
    tmp_path: Path, workers: int, number: signal.Signals, status: int
) -> None:
    alone = Campaign(tmp_path / "alone", CASES, "--workers", workers)
    _, errors = (process := alone.command()).communicate()
    assert process.returncode == 1, errors
    assert alone.results()["wrong results"]

    killed, draw, kills = Campaign(tmp_path / "killed", CASES, "--workers", workers), random.Random(workers), 0
    stored: dict[int, Any] = {}
    while True:
        process = killed.command()
        if kills < KILLS and wait_for_a_moment(killed, process, draw):
            process.send_signal(number)
            kills += 1
        _, errors = process.communicate()
        assert [*killed.damage()] == []
        assert {index: killed.cases().get(index) for index in stored} == stored, "a case was lost, or ran twice"
        stored = killed.cases()
        if process.returncode != status:
            break
        if number != signal.SIGKILL:  # after which a process of Python's warns of what it cleans up
            assert "Traceback" not in errors
            assert "Warning" not in errors
    assert process.returncode == 1, errors
    assert kills > 0
    assert killed.results() == alone.results()
