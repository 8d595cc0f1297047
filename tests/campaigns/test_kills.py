"""A campaign that is killed at random moments, and resumed each time, ends as one that is left alone."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from tests.support.faulty_campaign import Campaign, kill_at_random_moments

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

    killed = Campaign(tmp_path / "killed", CASES, "--workers", workers)
    kill_at_random_moments(killed, KILLS, number, status, random.Random(workers))
    assert killed.results() == alone.results()
