"""Which planted faults a case shows: a session whose compiler has faults, and the search for those that matter.

Every case is prepared once, and runs on a compiler with all faults that are not yet detected. If an oracle reports a
verdict, the case also runs on the sound compiler. Then it runs with ever smaller sets of the faults that it met, until
each fault that changes an outcome is alone. A fault is detected if an oracle reports a verdict on the compiler with
this fault that it does not report on the sound one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

from polyjuice import pipeline
from polyjuice.execution import Artifact, Outcome
from polyjuice.oracles import Case, Program
from polyjuice.session import CompilerSession

HERE = Path(__file__).resolve().parent

MET = "met"

EQUIVALENCE = ("metamorphic", "crash")
DIFFERENTIAL = ("differential", "crash")
"""The oracles that compare variants, and those that judge seed graphs."""

_RETRIES = 5


def mutants(pattern: str = "*") -> list[str]:
    """Return the names of the planted faults that match a pattern: COMPILER/NAME."""
    names = (f"{path.parent.name}/{path.stem}" for path in sorted((HERE / "faults").glob("*/*.py")))
    return [name for name in names if fnmatch(name, pattern)]


@contextmanager
def planting() -> Iterator[None]:
    """Inside the block, new processes have the faults that each program's setup names."""
    with (
        tempfile.TemporaryDirectory() as cache,
        environment(PYTHONPATH=str(HERE / "site"), POLYJUICE_MUTANT="by-program"),
        environment(CXX=str(HERE / "cached-g++"), CXX_CACHE=cache),
    ):
        yield


def spoken(oracles: Sequence[str], session: FaultySession, case: Case) -> dict[str, set[str]]:
    """Return, for each fault that a case met (`MET`), the oracles with a verdict that the sound compiler lacks."""
    met = [session.met(program.outcome) for program in case.programs]
    candidates = sorted(set().union(*met))
    found = {name: {MET} if any(name in p.outcome.trace for p in case.programs) else set() for name in candidates}
    if not candidates or not judged(oracles, case, session):
        return found
    sound = [session.planted([], program, case) for program in case.programs]
    if all(alike(program.outcome, outcome) for program, outcome in zip(case.programs, sound, strict=True)):
        return found
    before = judged(oracles, ended(case, sound), session)
    by_chance: bool | None = None  # tested only if needed: it takes many compilations
    for name, outcomes in effects(session, case, met, sound, candidates, [p.outcome for p in case.programs]):
        verdicts = judged(oracles, ended(case, outcomes), session) - before
        failed = any(kind in ("crash", "hang") for _, kind, _, _ in verdicts)
        if failed and by_chance is None:
            by_chance = fails_by_chance(session, case)
        if not (failed and by_chance):
            found[name] |= {verdict[0] for verdict in verdicts}
    return found


def ended(case: Case, outcomes: Sequence[Outcome]) -> Case:
    """Return the case with other outcomes of its programs."""
    programs = [replace(program, outcome=outcome) for program, outcome in zip(case.programs, outcomes, strict=True)]
    return replace(case, programs=programs)


def effects(
    session: FaultySession,
    case: Case,
    met: Sequence[set[str]],
    sound: Sequence[Outcome],
    names: Sequence[str],
    outcomes: Sequence[Outcome],
) -> Iterator[tuple[str, Sequence[Outcome]]]:
    """Yield each fault that changes a program's outcome, with the outcomes under this fault alone.

    The search halves the set of faults, since most faults that a case meets change nothing. ``outcomes`` are those with
    all faults of ``names``, ``sound`` those without.
    """
    changed = [not alike(outcome, right) for outcome, right in zip(outcomes, sound, strict=True)]
    if not any(changed):
        return
    if len(names) == 1:
        yield names[0], outcomes
        return
    for half in (names[: len(names) // 2], names[len(names) // 2 :]):
        part = list(sound)
        for i, program in enumerate(case.programs):
            if changed[i] and met[i].intersection(half):
                alone = met[i].isdisjoint(set(names).difference(half))
                left = sorted(met[i].intersection(half))
                part[i] = outcomes[i] if alone else session.planted(left, program, case)
        yield from effects(session, case, met, sound, half, part)


class FaultySession(CompilerSession):
    """A session whose compiler has planted faults, which may differ for each program."""

    faults: Sequence[str] = ()

    def execute(
        self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]], *, level: str = "", compile: bool = True
    ) -> Outcome:
        """Execute an artifact on the compiler with the session's ``faults``."""
        planted = replace(artifact, setup={**artifact.setup, "faults": self.faults})
        return super().execute(planted, inputs, level=level, compile=compile)

    def planted(self, faults: Sequence[str], program: Program, case: Case) -> Outcome:
        """Set the faults, execute one program of a case, and return its outcome."""
        self.faults = faults
        return self.execute(program.artifact, case.inputs)

    def met(self, outcome: Outcome) -> set[str]:
        """Return the faults that a program met. A process that died reports none, and may have met any."""
        ended = outcome.status not in ("crash", "hang")
        return set(self.faults) & set(outcome.trace) if ended else set(self.faults)


def fails_by_chance(session: FaultySession, case: Case) -> bool:
    """Whether the sound compiler sometimes fails too, on programs that it has just compiled."""
    outcomes = (session.planted([], program, case) for _ in range(_RETRIES) for program in case.programs)
    return any(outcome.status != "ok" for outcome in outcomes)


def judged(oracles: Sequence[str], case: Case, session: CompilerSession) -> set[tuple[str, str, str, int]]:
    """Return the verdicts of oracles on a case, without their messages."""
    return {(v.oracle, v.kind, v.a, v.output) for v in pipeline.judge(case, session, oracles)}


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set environment variables inside the block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def alike(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes are the same: the same status and stage, and outputs equal bit for bit."""
    if (a.status, a.stage) != (b.status, b.stage):
        return False
    arrays = zip((y for one in a.outputs for y in one), (y for one in b.outputs for y in one), strict=True)
    return all(x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in arrays)
