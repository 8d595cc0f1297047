"""A campaign's processes, each with its own compiler session: they run cases, and triage findings."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TypeVar

from polyjuice import interrupts
from polyjuice.campaign.config import Config
from polyjuice.campaign.lock import PROCESSES, Lock
from polyjuice.campaign.runner import CaseResult, Runner
from polyjuice.campaign.schedule import Deadlines, Task
from polyjuice.campaign.triage import TriageJob
from polyjuice.compilers import EnvironmentProblem, find
from polyjuice.egraph import Rule
from polyjuice.execution.forkserver import end_servers
from polyjuice.execution.space import shortage
from polyjuice.frameworks.limits import set_read_limits
from polyjuice.session import CompilerSession
from polyjuice.stored_files import this_version
from polyjuice.timelimit import TimeLimit
from polyjuice.triage import automatic
from polyjuice.triage.automatic import Triaged

Result = TypeVar("Result")

_job: tuple[Config, Path, Sequence[Rule], Mapping[str, int]] | None = None
"""The campaign's configuration, folder and rules, and how many findings each signature had when the process began."""

_session: CompilerSession | None = None
_runner: Runner | None = None
_lock: Lock | None = None
_busy = False
_finished: list[CaseResult] = []
"""The results of the current task so far."""


_LOCK_S = 60.0
"""The most seconds to wait for the lock of the campaign's processes, which nobody else holds for long."""


STARTING = "starting"
"""The file in the temporary folder of a process that says what it does while it starts."""

PHASES = ("starting {compiler}", "asking which operators it takes; the first programs")
"""What a process does while it starts, in this order."""


class _Ended(BaseException):
    """SIGTERM came during work."""


def initialize(
    config: Config,
    folder: Path,
    rules: Sequence[Rule],
    reported: Mapping[str, int],
    environment: Mapping[str, str],
    temporary: bool,
) -> None:
    """Set up a process of the pool, which starts with signals blocked (see `polyjuice.interrupts.blocked`).

    It ignores SIGINT and SIGHUP, which a terminal sends to all processes: the parent handles them, and ends the others.
    SIGTERM ends it, from whomever it comes.

    ``environment`` has the parent's variables, since the fork server may have started with older ones. A ``temporary``
    campaign folder is removed when the parent dies.
    """
    global _job, _lock
    _job = config, folder, rules, reported
    set_read_limits(config.read_limits)
    _lock = Lock(folder / PROCESSES, shared=True, wait_s=_LOCK_S)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # the fork server may have used another folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)
    os.mkdir(os.environ["TMPDIR"], 0o700)  # the parent may be killed before this process begins
    Finalize(None, shutil.rmtree, (os.environ["TMPDIR"], True), exitpriority=-1)  # for an end without a signal
    interrupts.unblock()
    end_with_parent(folder if temporary else None)


def end_with_parent(rubbish: Path | None = None) -> None:
    """End this process when its parent dies: a process of a pool would not notice that, and go on.

    Then also remove the folder ``rubbish``.
    """
    threading.Thread(target=_end_after_parent, args=(rubbish,), daemon=True).start()


def _end_after_parent(rubbish: Path | None) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    if rubbish:
        shutil.rmtree(rubbish, ignore_errors=True)
    os.kill(os.getpid(), signal.SIGTERM)


def _terminate(number: int, frame: object) -> None:
    """Handle SIGTERM: unwind the current work, so that the processes that it has started end with it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the pool sends another when the first process has ended
    if _busy:
        raise _Ended
    _end()


def _end() -> None:
    _close()
    end_servers()
    shutil.rmtree(os.environ["TMPDIR"], ignore_errors=True)  # the parent may be gone
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.raise_signal(signal.SIGTERM)


def _close() -> None:
    if _session:
        _session.close()


@dataclass(frozen=True)
class Ran:
    """The results of a task, and the version of the compiler that ran it, if it has started."""

    results: Sequence[CaseResult]
    version: str = ""


def run_task(task: Task, deadlines: Deadlines) -> Ran:
    """Run cases by `run_cases`, if it is not too late to begin, and give up those that do not finish in time.

    Postponed cases may begin until running cases must end. A case without a result runs again when the campaign is
    resumed. The results account for all of the task's time.
    """

    def asked_since_s() -> float:
        return max((_runner.probe_s if _runner else 0.0) - deadlines.asked_s, 0.0)

    began = time.monotonic()
    if began > (deadlines.cases_end if task.postponed else deadlines.last_begin) + asked_since_s():
        return Ran([])
    _finished.clear()
    with TimeLimit(deadlines.cases_end, asked_since_s) as limit:
        run_cases(task)
    if limit.passed:
        _begin_anew()
    if _finished:
        counted_s = sum(sum(result.seconds.values()) for result in _finished)
        last = _finished.pop()
        other = last.seconds.get("other", 0.0) + max(time.monotonic() - began - counted_s, 0.0)
        _finished.append(replace(last, seconds={**last.seconds, "other": other}))
    return Ran(list(_finished), _session.worker().info.get("version", "") if _session else "")


def _begin_anew() -> None:
    """Drop the runner, which was interrupted in the middle of a case, and its compiler session."""
    global _session, _runner
    _close()
    _session = _runner = None


def run_cases(task: Task) -> None:
    """Run the cases of a task, which share an e-graph or a pack, so that only this process makes it.

    Each result is appended to ``_finished``. An exception of Polyjuice's own code becomes a result too, so that the
    campaign goes on.
    """

    def work() -> None:
        try:
            for result in _the_runner().run(task.indices, task.postponed, task.acted):
                _finished.append(result)
        except EnvironmentProblem as problem:
            raise EnvironmentProblem(str(problem)) from None  # the pool pickles it, and subclasses do not unpickle
        except Exception as error:
            _raise_shortage(error)
            defect = traceback.format_exc()
            finished = {result.index for result in _finished}
            left = [index for index in task.postponed or task.indices if index not in finished]
            _finished.extend(CaseResult(index=index, defect=defect) for index in left)

    _unwound(work)


def triage(job: TriageJob) -> list[Triaged]:
    """Sort findings by cause, or triage one. An exception of Polyjuice's own code becomes a result too."""
    assert _job is not None
    _, campaign, rules, _ = _job
    folders = [campaign / "raw" / name for name in job.names]

    def work() -> list[Triaged]:
        try:
            if job.sorts:
                return automatic.sort(folders, job.culprits, job.groups, job.end)
            return [automatic.triage(folders[0], job.culprits, job.time_s, rules, job.end)]
        except Exception as error:
            _raise_shortage(error)
            return [Triaged(name=name, defect=traceback.format_exc()) for name in job.names]

    return _unwound(work)


def _raise_shortage(error: Exception) -> None:
    """Raise NoSpace if an error comes from a full disk: no work can go on then."""
    assert _job is not None
    if full := shortage(error, [_job[1]]):
        raise full from None


def versions() -> dict[str, str]:
    """Start the compiler; return what must be the same in all processes of a campaign. Raises EnvironmentProblem."""

    def work() -> dict[str, str]:
        session = _the_session()
        session.worker().start()
        return {"Polyjuice": this_version(), session.compiler.name: session.version}

    return _unwound(work)


def _the_runner() -> Runner:
    """Return this process's runner. Its session comes first, so that it can be closed while the runner probes."""
    global _runner
    if _runner is None:
        assert _job is not None
        config, folder, rules, reported = _job
        session = _the_session()
        _say(PHASES[1])
        _runner = Runner(config, folder, rules, session, reported)
    return _runner


def _the_session() -> CompilerSession:
    """Return the session of this process, whose compiler begins to start."""
    global _session
    if _session is None:
        assert _job is not None
        config, *_ = _job
        _say(PHASES[0])
        compiler = find(config.compiler)
        _session = CompilerSession(config.conditions, compiler, trace=compiler.traced == 1)
        Finalize(None, _close, exitpriority=1)
        _session.worker().warm()
    return _session


def _say(phase: str) -> None:
    if _lock:  # a test may run the work of a process in its own
        Path(os.environ["TMPDIR"], STARTING).write_text(phase, "utf-8")


def _unwound(work: Callable[[], Result]) -> Result:
    """Do some work. If SIGTERM comes meanwhile, unwind the work and then end the process."""
    global _busy
    try:
        _busy = True
        try:
            return work()
        finally:
            _busy = False  # SIGTERM may come right before this
    except _Ended:  # else the pool would pass the exception to the parent and go on
        _end()
        raise
