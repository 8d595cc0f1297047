"""What limits a campaign on many nodes: the overhead of a task on Ray, and the driver before a thousand fake nodes.

    python benchmarks/cluster.py CAMPAIGN...            simulate nodes that do what these campaigns did
    python benchmarks/cluster.py CAMPAIGN... --ray      and measure tasks on a Ray cluster of this machine

The simulation runs the real loop, store and triage on a clock of its own. A fake node answers a task with stored
results of the campaign and the files of their findings, after the seconds that they took. The time that
the driver takes for its own work passes on that clock, too. So a node waits when the driver is late, or when earlier
rounds of cases have not ended.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import pickle
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from polyjuice.campaign import loop, processes
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import BATCH
from polyjuice.campaign.processes import Ran
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Task, Tasks
from polyjuice.campaign.store import Store
from polyjuice.campaign.triage import Triage, TriageJob
from polyjuice.compilers import find
from polyjuice.triage.automatic import Group, Triaged, reduced_folder

NODES = (1, 10, 100, 300, 1000, 3000)

MOST_S = 3600.0
"""A simulation ends after this time on its clock."""

GROUPS = 200
"""The groups of findings, and the causes: more than any campaign had."""

PARTS = ((Store, "add"), (Triage, "next"), (Triage, "add"), (Triage, "finish"), (Tasks, "next"))
"""The parts of the driver whose time is measured."""


@dataclass
class Recorded:
    """A campaign that ran: its results by task, and the average seconds of a triage."""

    folder: Path
    config: Config
    tasks: list[list[CaseResult]]
    triage_s: float

    @classmethod
    def of(cls, folder: Path) -> Recorded:
        """Read a campaign."""
        store, config = Store.open(folder)
        size = max(config.pack_of(find(config.compiler)), BATCH)
        results = [one for one in store.results() if not one.postponed]
        tasks = [list(some) for _, some in itertools.groupby(results, key=lambda one: one.index // size)]
        triage_s = float(store.meta("triage_s") or 0) / max(len(store.causes()), 1)
        store.close()
        return cls(folder, config, tasks, triage_s or 10.0)


class World:
    """Fake nodes of one process each, on a clock of their own; the pool and the listener of a loop."""

    def __init__(self, recorded: Recorded, nodes: int, campaign: Path, real_s: float) -> None:
        """``real_s`` is the most time of the driver."""
        self.real_s = real_s
        self.recorded, self.workers, self.raw = recorded, nodes, campaign / "raw"
        self.now = self.busy_s = self.driver_s = 0.0
        self.programs = 0
        self.spent: dict[str, float] = dict.fromkeys((f"{owner.__name__}.{name}" for owner, name in PARTS), 0.0)
        self._draw, self._number = random.Random(1), itertools.count()
        self._free = [0.0] * nodes
        """When each node is free, a heap."""
        self._ends: list[tuple[float, int, float, Future[Any], Any]] = []
        self._home: dict[Future[Any], list[tuple[Path, Path]]] = {}
        self._since = time.perf_counter()

    def submit(self, work: Callable[..., Any], item: Any, *_: Any) -> Future[Any]:
        """Begin a task on the node that is free first."""
        future: Future[Any] = Future()
        seconds, answer = self._task(future, item) if work is processes.run_task else self._triage(item)
        end = max(heapq.heappop(self._free), self.now) + seconds
        heapq.heappush(self._free, end)
        heapq.heappush(self._ends, (end, next(self._number), seconds, future, answer))
        return future

    def _task(self, future: Future[Any], task: Task) -> tuple[float, Ran]:
        told = self._draw.choice(self.recorded.tasks)
        results = []
        for place, index in enumerate(task.indices):
            one, findings = told[place % len(told)], []
            for finding in one.findings:
                name = f"{index:06d}-0-{finding.kind}"
                findings.append(replace(finding, folder=name, index=index))
                copy = self.recorded.folder / "raw" / finding.folder, self.raw / name
                self._home.setdefault(future, []).append(copy)
            results.append(replace(one, index=index, findings=findings))
        return sum(sum(one.seconds.values()) for one in results), Ran(results, "simulated")

    def _triage(self, job: TriageJob) -> tuple[float, list[Triaged]]:
        numbers = [self._draw.randrange(GROUPS) for _ in job.names]
        if job.sorts:
            return 5.0, [Triaged(name=a, group=Group(f"group {n}")) for a, n in zip(job.names, numbers, strict=True)]
        return self.recorded.triage_s, [self._cause(job.names[0], numbers[0])]

    def _cause(self, name: str, number: int) -> Triaged:
        folder = self.raw / name
        record = json.loads((folder / "finding.json").read_text())
        record |= {"cause": f"cause {number}", "reduction": {"from": name}, "folder": name, "blame": []}
        shutil.copytree(folder, reduced_folder(folder))
        (reduced_folder(folder) / "finding.json").write_text(json.dumps(record))
        return Triaged(name=name, cause=record["cause"], record=record)

    def wait(self, futures: Collection[Future[Any]], timeout: float, return_when: str) -> Any:
        """Let the time pass that the driver took, and then that until the next tasks end."""
        own_s = time.perf_counter() - self._since
        self.driver_s += own_s
        self.now += own_s
        if self._ends:
            self.now = max(self.now, min(self._ends[0][0], self.now + timeout))
        done = set()
        while self._ends and self._ends[0][0] <= self.now:
            _, _, seconds, future, answer = heapq.heappop(self._ends)
            self.busy_s += seconds
            self.programs += sum(one.programs for one in answer.results) if isinstance(answer, Ran) else 0
            future.set_result(answer)
            done.add(future)
        if self.now > MOST_S or self.driver_s > self.real_s:
            raise KeyboardInterrupt
        self._since = time.perf_counter()
        return SimpleNamespace(done=done)

    def died(self, future: Future[Any]) -> bool:
        """None does; the findings of the task come home."""
        for source, here in self._home.pop(future, ()):
            shutil.copytree(source, here, dirs_exist_ok=True, ignore=shutil.ignore_patterns("reduced"))
        return False

    def said(self) -> str:
        """Nothing."""
        return ""

    def tend(self) -> None:
        """Nothing changes."""

    def shutdown(self, **_: object) -> None:
        """Nothing runs."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None  # what a listener receives


def simulated(recorded: Recorded, nodes: int, real_s: float) -> dict[str, Any]:
    """Run the loop before that many nodes, and return what they and the driver did."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as patched:
        config = replace(recorded.config, cases=None, time_s=2 * MOST_S)
        store = Store.create(Path(folder) / "c", config)
        world = World(recorded, nodes, store.folder, real_s)
        patched.enter_context(patch.object(loop, "_pool", lambda setup, note: world))
        patched.enter_context(patch.object(loop, "wait", world.wait))
        patched.enter_context(patch.object(time, "monotonic", lambda: world.now))
        for owner, name in PARTS:
            timed = _timed(world, f"{owner.__name__}.{name}", getattr(owner, name))
            patched.enter_context(patch.object(owner, name, timed))
        with suppress(KeyboardInterrupt):
            loop.run(config, [], store, world)  # type: ignore[arg-type]
        store.close()
    part, seconds = max(world.spent.items(), key=lambda one: one[1])
    return {
        "nodes": nodes,
        "simulated": f"{world.now / 60:.0f} min",
        "programs/s": round(world.programs / world.now, 1),
        "nodes busy": f"{100 * min(world.busy_s / (nodes * world.now), 1.0):.0f} %",
        "driver busy": f"{100 * world.driver_s / world.now:.1f} %",
        "most of it": f"`{part}`, {100 * seconds / world.driver_s:.0f} %",
    }


def _timed(world: World, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def timed(*arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return function(*arguments, **named)
        finally:
            world.spent[name] += time.perf_counter() - began

    return timed


def overhead(recorded: Recorded, times: int = 50) -> Iterator[str]:
    """Send results of the campaign over a Ray cluster of this machine, one task after another, and time them."""
    import ray

    ray.init(include_dashboard=False, log_to_driver=False, num_cpus=1)

    @ray.remote
    class Node:
        def do(self, task: Task, answer: bytes) -> bytes:
            return answer

    node: Any = Node.remote()  # type: ignore[attr-defined]
    sizes, answers = [], []
    for told in recorded.tasks[:times]:
        files = {
            str(path): path.read_bytes()
            for one in told
            for finding in one.findings
            for path in (recorded.folder / "raw" / finding.folder).rglob("*")
            if path.is_file()
        }
        answers.append(pickle.dumps((Ran(told), files)))
        sizes.append(len(answers[-1]))
    ray.get(node.do.remote(Task([0]), answers[0]))
    began = time.perf_counter()
    for told, answer in zip(recorded.tasks, answers, strict=False):
        pickle.loads(ray.get(node.do.remote(Task([one.index for one in told]), answer)))
    each_ms = 1000 * (time.perf_counter() - began) / len(answers)
    ray.shutdown()
    seconds = [sum(sum(one.seconds.values()) for one in told) for told in recorded.tasks]
    sent, took = statistics.median(sizes), statistics.mean(seconds)
    yield f"a task takes {took:.2f} s on average; Ray adds {each_ms:.1f} ms, {each_ms / took / 10:.2f} %"
    yield f"its answer has {sent / 1024:,.1f} KiB (median), {max(sizes) / 1024:,.0f} KiB at most"


def main() -> None:
    """Print the table of each campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaigns", nargs="+", type=Path, metavar="CAMPAIGN")
    parser.add_argument("--nodes", type=int, nargs="+", default=NODES)
    parser.add_argument("--seconds", type=float, default=40.0, help="the most time of the driver in a simulation")
    parser.add_argument("--ray", action="store_true", help="also measure tasks on a Ray cluster of this machine")
    options = parser.parse_args()
    for folder in options.campaigns:
        recorded = Recorded.of(folder)
        print(f"{recorded.config.compiler}, {len(recorded.tasks)} tasks of {folder}", flush=True)
        for line in overhead(recorded) if options.ray else ():
            print(f"- {line}", flush=True)
        for nodes in options.nodes:
            row = simulated(recorded, nodes, options.seconds)
            if nodes == options.nodes[0]:
                print(f"| {' | '.join(row)} |\n{'|---' * len(row)}|")
            print(f"| {' | '.join(map(str, row.values()))} |", flush=True)


if __name__ == "__main__":
    main()
