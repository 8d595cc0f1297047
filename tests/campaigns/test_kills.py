"""A campaign that dies again and again ends as one that runs through: `benchmarks/kills.py` on a small scale."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.commands import ROOT

if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks import kills

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_campaign_ends_as_one_that_is_left_alone(tmp_path: Path, workers: int) -> None:
    alone, _ = kills.left_alone(tmp_path / "alone", workers, 12)
    assert alone["wrong results"]
    survived = kills.survive(tmp_path / "killed", workers, 12, 4, random.Random(workers), alone)
    assert survived.problems == []
    assert survived.kills.total() > 0


def test_the_harness_sees_what_is_lost(tmp_path: Path) -> None:
    """A finding without a file, a row without a folder, and results that differ."""
    campaign = kills.Campaign(tmp_path, 1, 1)
    (campaign.out / "raw/000001-0-mismatch").mkdir(parents=True)
    assert len([*kills.half_written(campaign)]) == 6
    assert kills.difference({1: "a", 2: "b"}, {1: "a"}) == "1 lost [(2, 'b')], 0 new []"
    survived = kills.Survived(1, 40, Counter({"cases": 3}), 5, 2, ["case 7 was lost, or ran twice"])
    page = kills.page([survived], "python benchmarks/kills.py")
    assert "3 times" in page
    assert "| 1 | 40 | 0 | 3 | 0 | 5 | 2 | 1 |" in page
    assert "- 1 process: case 7 was lost" in page
