"""A campaign on a Ray cluster gives the results of one machine, whatever happens to its nodes and to its driver."""

from __future__ import annotations

import random
import re
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.faulty_campaign import Campaign, kill_at_random_moments
from tests.support.workers import HOPELESS_S

pytest.importorskip("ray")
from ray.cluster_utils import Cluster

CASES = 8

MOST_S = 2 * HOPELESS_S
"""The most seconds that a campaign of these tests may take."""


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A cluster whose nodes have what a campaign needs; it has a head with a processor, and no other node yet.

    In the end no campaign has left a temporary file on a node, even if its driver was killed.
    """
    monkeypatch.setenv("PYTHONPATH", Campaign(tmp_path / "nodes", CASES).env["PYTHONPATH"])
    with tempfile.TemporaryDirectory(prefix="nodes-") as folder:  # a short path: it holds Ray's sockets
        monkeypatch.setenv("TMPDIR", folder)
        found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        yield found
        in_time(lambda: not [*Path(folder).glob("polyjuice-*")], 60.0)
        found.shutdown()


def alone(folder: Path, cases: int = CASES) -> Campaign:
    """A campaign that one process of this machine runs."""
    campaign = Campaign(folder, cases, "--workers", 1)
    _, errors = (process := campaign.command()).communicate(timeout=MOST_S)
    assert process.returncode == 1, errors
    return campaign


def test_two_nodes_give_the_results_of_one_process(tmp_path: Path, cluster: Cluster) -> None:
    cluster.add_node(num_cpus=1)
    spread = Campaign(tmp_path / "spread", CASES, "--cluster", cluster.address)
    _, errors = (process := spread.command()).communicate(timeout=MOST_S)
    assert process.returncode == 1, errors
    assert errors.count("works with 1 process") == 2
    assert [*spread.damage()] == []
    assert spread.results() == alone(tmp_path / "alone").results()


@pytest.mark.long
def test_nodes_of_another_release_are_named_and_nothing_runs(tmp_path: Path, cluster: Cluster) -> None:
    cluster.add_node(num_cpus=1, env_vars={"FAULTY_VERSION": "2.0"})
    spread = Campaign(tmp_path / "spread", CASES, "--cluster", cluster.address)
    _, errors = (process := spread.command()).communicate(timeout=MOST_S)
    assert process.returncode == 2, errors
    (line,) = (line for line in errors.splitlines() if line.startswith("polyjuice: node") and "is not used" in line)
    assert re.search(r"it has faulty (2.0, not 1.0|1.0, not 2.0)$", line)
    assert not spread.out.exists()


@pytest.mark.long
def test_nodes_that_are_lost_and_that_join_change_nothing(tmp_path: Path, cluster: Cluster) -> None:
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    spread = Campaign(tmp_path / "spread", 60, "--cluster", cluster.address)
    process = spread.command()
    in_time(lambda: spread.progress >= 5)
    cluster.remove_node(nodes[0], allow_graceful=False)
    in_time(lambda: spread.progress >= 20)
    cluster.add_node(num_cpus=1)
    _, errors = process.communicate(timeout=MOST_S)
    assert process.returncode == 1, errors
    assert errors.count("is lost; others repeat its work") == 1
    assert errors.count("works with 1 process") == 4
    assert spread.results() == alone(tmp_path / "alone", 60).results()


@pytest.mark.long
def test_a_driver_that_is_killed_at_random_moments_loses_nothing(tmp_path: Path, cluster: Cluster) -> None:
    cluster.add_node(num_cpus=1)
    killed = Campaign(tmp_path / "killed", 60, "--cluster", cluster.address)
    kill_at_random_moments(killed, 50, signal.SIGKILL, -9, random.Random(3))
    assert killed.results() == alone(tmp_path / "alone", 60).results()


def in_time(happened: Callable[[], bool], most_s: float = 300.0) -> None:
    """Wait until something has happened."""
    end = time.monotonic() + most_s
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.1)
