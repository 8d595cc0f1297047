"""A campaign's processes on the machines of a Ray cluster (extra ``[cluster]``).

Each node has one actor, which runs a process for each processor there, by the pool of one machine. The actor has a
folder of its own in place of the campaign's. The findings of a result come home with it, and the driver alone writes
into the campaign. A finding goes to a node with the job that triages it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import ActorDiedError, RayActorError, RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from polyjuice import interrupts
from polyjuice.campaign import processes
from polyjuice.campaign.config import Config
from polyjuice.campaign.pool import NoProcess, Processes, Setup
from polyjuice.campaign.processes import Ran
from polyjuice.campaign.schedule import Deadlines
from polyjuice.campaign.seeds import IMPORTED
from polyjuice.campaign.triage import TriageJob
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import Rule
from polyjuice.execution.space import NoSpace
from polyjuice.triage.automatic import reduced_folder
from polyjuice.triage.finding import staged
from polyjuice.wording import counted

AUTO = "auto"
"""The address of the cluster that this machine belongs to, or else of one that is started here for the campaign."""

_READY_S = 300.0
"""The most seconds in which the first node must be ready."""

_OTHERS_S = 30.0
"""The seconds for which the campaign then waits for the others; later ones join it."""

_LOOK_S = 2.0
"""The least seconds between two looks at which nodes there are."""

_END_S = 40.0
"""The seconds that nodes have to end their processes and to remove their files."""

_STORE_BYTES = 256 * 2**20
"""The memory for Ray's store of objects, where a cluster is started for the campaign: results are small."""

_THREADS = "OMP_NUM_THREADS"
"""A variable that Ray sets. Compilers read it, and would build other programs than on one machine."""

_LET_CHILDREN_END = {"RAY_kill_child_processes_on_worker_exit": "false"}
"""The environment of actors: their processes notice by themselves when an actor is gone, and clean up."""

Files = Mapping[str, bytes]
"""The content of files, by their path in a campaign's folder."""


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """The result of a task, or the error that ended it; or it ``died`` with a process, in which it perhaps ``ran``."""

    result: Any = None
    files: Files = field(default_factory=dict)
    error: BaseException | None = None
    died: bool = False
    ran: bool = False


@dataclass(frozen=True)
class _Home:
    """The driver's own interpreter, in whose place a node takes the one that runs Ray there, and its ``_THREADS``."""

    python: str = sys.executable
    threads: str = os.environ.get(_THREADS, "")


class _NodeActor:
    """What runs on a node: the processes of the campaign there."""

    def __init__(
        self,
        config: Config,
        rules: Sequence[Rule],
        reported: Mapping[str, int],
        files: Files,
        home: _Home,
        workers: int,
    ) -> None:
        """``files`` are those of the campaign's folder, and those that its options name."""
        os.environ.pop(_THREADS, None)
        os.environ.update({_THREADS: home.threads} if home.threads else {})
        self._folder = Path(tempfile.mkdtemp(prefix="polyjuice-node-"))
        (self._folder / "raw").mkdir()
        _write(self._folder, files)
        config = replace(
            config,
            workers=workers,
            python=sys.executable if config.python == home.python else config.python,
            seeds=tuple(map(self._here, config.seeds)),
            targets=tuple(map(self._here, config.targets)),
            known=tuple(map(self._here, config.known)),
        )
        setup = Setup(config=config, folder=self._folder, rules=rules, reported=lambda: reported, temporary=True)
        self._pool = Processes(setup)

    def _here(self, path: str) -> str:
        """A file that an option names: at the same path, or else the driver's copy of it."""
        copy = self._folder / _shipped(path)
        return str(copy) if copy.exists() and not os.path.exists(path) else path

    async def versions(self) -> dict[str, str]:
        """The versions of what must be the same on all nodes. Raises EnvironmentProblem."""
        answer = await self.do(processes.versions, (), {}, 0.0)
        if answer.error:
            raise answer.error
        if answer.died:
            raise EnvironmentProblem("the process that starts the compiler dies")
        found: dict[str, str] = answer.result
        return found

    async def clock(self) -> float:
        """The monotonic clock of the node."""
        return time.monotonic()

    async def do(self, work: Callable[..., Any], arguments: Sequence[Any], files: Files, ahead_s: float) -> _Answer:
        """Do a task. The node's clock is ``ahead_s`` seconds ahead of that of the arguments."""
        _write(self._folder, files)
        names = {*map(_folder_of, files)}
        try:
            future = self._pool.submit(work, *(_on_clock(one, ahead_s) for one in arguments))
            await asyncio.wait([asyncio.wrap_future(future)])
            if self._pool.died(future):
                return _Answer(died=True, ran=self._pool.bury(future))
            if error := future.exception():
                return _Answer(error=error)
            written = _written(arguments, future.result())
            names |= {*written}
            return _Answer(result=future.result(), files=_read(self._folder, written))
        except NoProcess as problem:
            return _Answer(error=problem)
        finally:
            for name in names:
                shutil.rmtree(self._folder / name, ignore_errors=True)

    async def end(self) -> None:
        """End the processes, and remove their files."""
        self._pool.shutdown(at_once=True)
        shutil.rmtree(self._folder, ignore_errors=True)


@dataclass(kw_only=True)
class _Node:
    """A node of the cluster, as the driver knows it."""

    id: str
    name: str
    actor: Any
    workers: int
    versions: Any
    """The reference to its answer, while the node starts."""

    ahead_s: float = 0.0
    sent: int = 0
    """How many tasks are there."""


class _Died(Exception):
    """A task ended with its process, or with its node."""

    def __init__(self, ran: bool = False, node: _Node | None = None, problem: str = "") -> None:
        """``node`` is lost, or has a ``problem`` with which it cannot work."""
        super().__init__()
        self.ran, self.node, self.problem = ran, node, problem


class Cluster:
    """A pool of all nodes of a cluster: they may join and leave at any time."""

    def __init__(self, setup: Setup, note: Callable[[str], None]) -> None:
        """Connect to the cluster, and start the processes there. ``note`` tells people which nodes come and go.

        Raises EnvironmentProblem if there is no cluster, or if its nodes differ in what must be the same.
        """
        self._setup, self._note = setup, note
        _connect(setup.config.cluster)
        self._files = ray.put(_campaign_files(setup))
        self._nodes: dict[str, _Node] = {}
        self._joining: dict[str, _Node] = {}
        self._refused: dict[str, str] = {}
        """Why nodes are not used, by their ids."""
        self._versions: Mapping[str, str] = {}
        self._sent: dict[Future[Any], _Node] = {}
        """Where each task is."""
        self._waiting: deque[tuple[Future[Any], Callable[..., Any], Sequence[Any]]] = deque()
        """The tasks for which there is no node now."""
        self._arrived: dict[Future[Any], Files] = {}
        self._looked, self._has_begun = -math.inf, False
        try:
            self._start()
        except BaseException:
            self.shutdown(at_once=True)
            raise

    @property
    def workers(self) -> int:
        """See `Pool`; 1 if all nodes are lost, until others join."""
        return sum(node.workers for node in self._nodes.values()) or 1

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Send a task to the node with the fewest for each of its processes."""
        future: Future[Any] = Future()
        self._give(future, work, arguments)
        return future

    def died(self, future: Future[Any]) -> bool:
        """See `Pool`. If not, the files of the result come home."""
        if isinstance(future.exception(), _Died):
            return True
        self._sent.pop(future).sent -= 1
        _write(self._setup.folder, self._arrived.pop(future, {}))
        return False

    def bury(self, future: Future[Any]) -> bool:
        """See `Pool`. A task whose node is lost is not to blame, unless the actor there died alone."""
        self._sent.pop(future).sent -= 1
        died = future.exception()
        assert isinstance(died, _Died)
        if not died.node:
            return died.ran
        if died.problem:
            self._refuse(died.node, died.problem)
            return False
        self._lose(died.node)
        return died.ran and died.node.id in _alive()

    def said(self) -> str:
        """See `Pool`."""
        return f"starting {{compiler}} on {counted(len(self._nodes) or 1, 'node')}"

    def tend(self) -> None:
        """Take in the nodes that have joined, and leave out those that are gone. Raises EnvironmentProblem."""
        if time.monotonic() - self._looked < _LOOK_S:
            return
        self._look()
        self._welcome()
        if self._refused and not self._nodes and not self._joining:
            raise EnvironmentProblem("\n".join(self._refused.values()))
        for _ in range(len(self._waiting) if self._nodes else 0):
            self._give(*self._waiting.popleft())

    def shutdown(self, *, at_once: bool = False) -> None:
        """See `Pool`."""
        if not ray.is_initialized():
            return
        nodes = [*self._nodes.values(), *self._joining.values()]
        if ends := [node.actor.end.remote() for node in nodes]:
            ray.wait(ends, num_returns=len(ends), timeout=_END_S)
        for node in nodes:
            ray.kill(node.actor)
        ray.shutdown()

    def _start(self) -> None:
        """Wait for the first node, and then a while for the others. Raises EnvironmentProblem."""
        began = time.monotonic()
        self._look()
        while self._joining and time.monotonic() - began < (_OTHERS_S if self._nodes else _READY_S):
            with interrupts.allowed():
                ray.wait([node.versions for node in self._joining.values()], timeout=1.0)
            self._welcome()
        if self._refused:
            raise EnvironmentProblem("\n".join(self._refused.values()))
        if not self._nodes:
            raise EnvironmentProblem(f"no node of the cluster was ready within {_READY_S:g} s")
        self._has_begun = True

    def _look(self) -> None:
        """Look which nodes there are, and start processes on new ones."""
        self._looked = time.monotonic()
        alive, there = _alive(), {**self._nodes, **self._joining}
        for node in there.values():
            if node.id not in alive:
                self._lose(node)
        config = self._setup.config
        left = config.workers - sum(node.workers for node in there.values() if node.id in alive)
        for node_id in alive.keys() - there.keys() - self._refused.keys():
            seen = alive[node_id]
            workers = int(seen["Resources"].get("CPU", 0))
            workers = min(workers, left) if config.workers else workers
            if workers < 1:
                continue
            left -= workers
            actor: Any = _remote.options(
                num_cpus=workers,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=False),
                runtime_env={"env_vars": _LET_CHILDREN_END},
            ).remote(config, self._setup.rules, self._setup.reported(), self._files, _Home(), workers)
            self._joining[node_id] = _Node(
                id=node_id,
                name=f"{seen['NodeManagerAddress']} ({seen['NodeManagerHostname']})",
                actor=actor,
                workers=workers,
                versions=actor.versions.remote(),
            )

    def _lose(self, node: _Node) -> None:
        if self._nodes.get(node.id) is node:
            self._note(f"node {node.name} is lost; others repeat its work")
        if node in (self._nodes.get(node.id), self._joining.get(node.id)):
            self._drop(node)

    def _refuse(self, node: _Node, problem: str) -> None:
        if node.id not in self._refused:
            self._drop(node)
            self._refused[node.id] = f"node {node.name} is not used: {problem}"
            if self._has_begun:
                self._note(self._refused[node.id])

    def _drop(self, node: _Node) -> None:
        self._nodes.pop(node.id, None)
        self._joining.pop(node.id, None)
        ray.kill(node.actor)

    def _welcome(self) -> None:
        """Use the joining nodes that are ready, and refuse those that cannot work, or that differ from the others."""
        for node_id, node in [*self._joining.items()]:
            if not ray.wait([node.versions], timeout=0)[0]:
                continue
            if problem := self._problem(node):
                self._refuse(node, problem)
                continue
            del self._joining[node_id]
            before = time.monotonic()
            clock: float = ray.get(node.actor.clock.remote())
            node.ahead_s = clock - (before + time.monotonic()) / 2
            self._nodes[node_id] = node
            self._note(f"node {node.name} works with {counted(node.workers, 'process')}")

    def _problem(self, node: _Node) -> str:
        """Why a node cannot be used; "" if it can."""
        try:
            versions: Mapping[str, str] = ray.get(node.versions)
        except RayTaskError as error:
            return str(error.cause)
        except RayActorError as error:
            return str(error).strip().splitlines()[-1]
        self._versions = self._versions or versions
        differ = [
            f"{what} {versions.get(what)}, not {version}"
            for what, version in self._versions.items()
            if versions.get(what) != version
        ]
        return f"it has {'; '.join(differ)}" if differ else ""

    def _give(self, future: Future[Any], work: Callable[..., Any], arguments: Sequence[Any]) -> None:
        if not self._nodes:
            self._waiting.append((future, work, arguments))
            return
        node = min(self._nodes.values(), key=lambda one: one.sent / one.workers)
        names = [f"raw/{name}" for one in arguments if isinstance(one, TriageJob) for name in one.names]
        files = _read(self._setup.folder, names)
        self._sent[future] = node
        node.sent += 1
        answer = node.actor.do.remote(work, arguments, files, node.ahead_s)
        answer.future().add_done_callback(lambda done: self._receive(future, node, done))

    def _receive(self, future: Future[Any], node: _Node, done: Future[Any]) -> None:
        """Hand an answer to the loop. This runs in a thread of Ray."""
        error = done.exception()
        if isinstance(error, RayError) and not isinstance(error, RayTaskError):
            future.set_exception(_Died(isinstance(error, ActorDiedError), node))
            return
        answer: _Answer = _Answer(error=error) if error else done.result()
        if isinstance(answer.error, (NoProcess, NoSpace, EnvironmentProblem)):
            future.set_exception(_Died(node=node, problem=str(answer.error)))
        elif answer.error:
            future.set_exception(answer.error)
        elif answer.died:
            future.set_exception(_Died(answer.ran))
        else:
            self._arrived[future] = answer.files
            future.set_result(answer.result)


def _connect(address: str) -> None:
    """Connect to a cluster; without one, ``auto`` starts one of this machine. Raises EnvironmentProblem."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        try:
            ray.init(address, **quiet)
        except ConnectionError as problem:
            if address != AUTO:
                raise EnvironmentProblem(f"--cluster {address}: there is no Ray cluster: {problem}") from None
            # The address keeps the ports closed to other machines.
            ray.init(include_dashboard=False, object_store_memory=_STORE_BYTES, _node_ip_address="127.0.0.1", **quiet)
    except (RuntimeError, ValueError, OSError, RayError) as problem:
        raise EnvironmentProblem(f"--cluster {address}: {problem}") from None
    finally:
        interrupts.handle()  # Ray has a handler of its own


def _alive() -> dict[str, Mapping[str, Any]]:
    """The nodes that are alive, by their ids."""
    nodes: list[Mapping[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return {node["NodeID"]: node for node in nodes if node["Alive"]}


def _on_clock(argument: Any, ahead_s: float) -> Any:
    """An argument of a task with its moments on another clock."""
    if isinstance(argument, Deadlines):
        moments = {"last_begin": argument.last_begin + ahead_s, "cases_end": argument.cases_end + ahead_s}
        return replace(argument, **moments)
    return replace(argument, end=argument.end + ahead_s) if isinstance(argument, TriageJob) else argument


def _written(arguments: Sequence[Any], result: Any) -> list[str]:
    """The folders that a task has written: findings, or what reduction has made of them."""
    if isinstance(result, Ran):
        return [f"raw/{finding.folder}" for case in result.results for finding in case.findings]
    jobs = [one for one in arguments if isinstance(one, TriageJob) and not one.sorts]
    return [f"raw/{name}/{reduced_folder(Path(name)).name}" for job in jobs for name in job.names]


def _campaign_files(setup: Setup) -> Files:
    """The files that each node needs: imported models, and those that the options name."""
    config = setup.config
    named = [path for path in (*config.seeds, *config.targets, *config.known) if os.path.isabs(path)]
    return {**_read(setup.folder, [IMPORTED]), **{_shipped(path): Path(path).read_bytes() for path in named}}


def _shipped(path: str) -> str:
    """The place of a file that an option names in a node's folder."""
    return f"named/{path.lstrip('/')}"


def _read(folder: Path, names: Iterable[str]) -> Files:
    """The files below some folders of a campaign's folder."""
    paths = [path for name in names for path in (folder / name).rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _folder_of(path: str) -> str:
    """The folder of a finding, or of its reduced form, or of imported models, that a file belongs to."""
    return Path(path).parent.as_posix()


def _write(folder: Path, files: Files) -> None:
    """Write files below a campaign's folder. Each of their folders appears whole, in place of an older one."""
    for name in sorted({*map(_folder_of, files)}):
        whole = folder / name
        draft = staged(whole)
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        for path, content in files.items():
            if _folder_of(path) == name:
                (draft / Path(path).name).write_bytes(content)
        shutil.rmtree(whole, ignore_errors=True)
        draft.rename(whole)


_remote = ray.remote(_NodeActor)
