"""The work of the processes that build a suite: make a candidate, and later the case of a chosen one."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from polyjuice.campaign.processes import end_with_parent
from polyjuice.compilers import EnvironmentProblem
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError
from polyjuice.ir import GraphError
from polyjuice.lower import repeat
from polyjuice.suite import cases, features
from polyjuice.suite.candidates import Candidate, Candidates
from polyjuice.suite.options import Options

UNSOUND = "unsound"
"""The prefix of a refusal that is a fault of our own."""

Made = frozenset[str] | str
"""The features of a candidate, or why there is none, as ``reason: details``."""

_TASK = 8
"""The number of candidates, or cases, that a process gets at a time."""


class Workshop:
    """Makes candidates and cases in a folder, in one process."""

    def __init__(self, options: Options, folder: Path) -> None:
        self._options = options
        self._folder = folder
        self._candidates = Candidates(options)

    def close(self) -> None:
        """End the compilers' processes."""
        self._candidates.close()

    def candidate(self, index: int) -> Made:
        """Make a candidate, and keep it for `case`."""
        try:
            candidate = self._candidates.candidate(index)
        except GraphError as error:
            return f"{UNSOUND}: a rule failed on candidate {index}: {error}"
        if candidate is None:
            return "identical: all variants are the same graph"
        self._kept(index).write_bytes(pickle.dumps(candidate))
        return candidate.features

    def case(self, index: int) -> str:
        """Write the case of a candidate to ``folder``; returns why it makes none, or ""."""
        made: Candidate = pickle.loads(self._kept(index).read_bytes())
        try:
            drawn = make_inputs(made.seed, made.profile, made.key, list(made.graphs.values()), made.large)
            sides = {side: (graph, made.keys[side]) for side, graph in made.graphs.items()}
            inputs = repeat(made.seed, drawn, made.repeated)
            formats, lowering = self._options.formats, self._candidates.lowering
            case = cases.lowered(sides, made.profile, inputs, formats, lowering, made.repeated)
            about = cases.About(
                {
                    "text": "Both programs were extracted from the e-graph of one seed graph. These rules fired in it, "
                    "each with its number of matches. Some of them lead from one program to the other. The interpreter "
                    "found both equal to the seed graph on the inputs.",
                    "rules": dict(sorted(made.rules.items())),
                },
                {"seed": self._options.seed, "candidate": index, "strategy": self._options.strategy},
                {kind: features.named(made.features, kind) for kind in ("operator", "typed", "turn", "pass")},
            )
            cases.write(written(self._folder, index), case, about, made.seed)
        except cases.Unequal as error:
            return f"{UNSOUND}: candidate {index}: {error}"
        except EvaluationError as error:
            return f"no value: {error}"
        except cases.Unfit as error:
            return str(error)
        return ""

    def _kept(self, index: int) -> Path:
        return self._folder / f"{index}.pickle"


def written(folder: Path, index: int) -> Path:
    """The folder for the case of a candidate."""
    return folder / f"case-{index}"


class Workshops:
    """The requested number of processes, each with a workshop of its own; for one, this process."""

    def __init__(self, options: Options, folder: Path, workers: int) -> None:
        self._job = options, folder
        self._workers = workers

    @contextmanager
    def open(self) -> Iterator[Callable[[str, Sequence[int]], Iterator[Any]]]:
        """A function that returns the results of a workshop's method on numbers, in their order."""
        if self._workers == 1:
            workshop = Workshop(*self._job)
            try:
                yield lambda method, numbers: map(getattr(workshop, method), numbers)
            finally:
                workshop.close()
            return
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self._workers, context, _initialize, self._job)
        try:
            yield lambda method, numbers: pool.map(_call, [method] * len(numbers), numbers, chunksize=_TASK)
        finally:
            pool.shutdown(cancel_futures=True)


_job: tuple[Options, Path] | None = None
_workshop: Workshop | None = None


def _initialize(options: Options, folder: Path) -> None:
    """Remember the job. The parent handles interrupts, and this process ends with it at the latest."""
    global _job
    _job = options, folder
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _call(method: str, number: int) -> Any:
    """Call a method of this process's workshop."""
    global _workshop
    if _workshop is None:
        assert _job is not None
        _workshop = Workshop(*_job)
        Finalize(None, _workshop.close, exitpriority=1)
    try:
        return getattr(_workshop, method)(number)
    except EnvironmentProblem as problem:  # the pool pickles errors, which subclasses do not survive
        raise EnvironmentProblem(str(problem)) from None
