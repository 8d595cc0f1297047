"""From verdicts to findings: what repeats every time in fresh processes is one, and its reproducer runs meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from polyjuice import pipeline
from polyjuice.oracles import Case, Verdict
from polyjuice.session import CompilerSession
from polyjuice.triage.finding import Draft

_OF_TIME = ("hang", "slow", "memory")
"""Kinds of verdicts that depend on what else the machine does: nothing runs beside their repeats."""


@contextmanager
def confirmed(
    case: Case, verdicts: Sequence[Verdict], folders: Sequence[Path], session: CompilerSession, *, told: bool = True
) -> Iterator[Mapping[int, Draft]]:
    """The findings, by the number of their verdict, each in the folder of that number; they need only be finished.

    A verdict is one where it shows every time (see :func:`polyjuice.pipeline.repeating`). Once it has shown the first
    time, its reproducer runs beside the other times, one reproducer at once. What is not finished when the context ends
    is removed. ``told`` says that they are findings as a user sees them, which nothing will reduce.
    """
    beside = not any(verdict.kind in _OF_TIME for verdict in verdicts)
    drafts: dict[int, Draft] = {}

    def remove_unfinished() -> None:
        for number, folder in enumerate(folders):
            if number not in drafts or not drafts[number].finished:
                shutil.rmtree(folder, ignore_errors=True)

    with ExitStack() as undo:
        undo.callback(remove_unfinished)

        def begin(number: int) -> None:
            drafts[number] = undo.enter_context(Draft(folders[number], session, case, verdicts[number], told=told))
            if beside and not any(draft.runs for draft in drafts.values()):
                drafts[number].begin()

        yield {number: drafts[number] for number in pipeline.repeating(case, verdicts, session, begin)}
