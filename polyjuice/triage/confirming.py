"""Turn verdicts that repeat in fresh processes into findings, while their reproducers run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from polyjuice import pipeline
from polyjuice.oracles import Case, Verdict, kind_of
from polyjuice.session import CompilerSession
from polyjuice.triage.finding import Draft


@contextmanager
def confirmed(
    case: Case,
    verdicts: Sequence[Verdict],
    folders: Sequence[Path],
    session: CompilerSession,
    *,
    from_scratch: bool = True,
) -> Iterator[Mapping[int, Draft]]:
    """Yield the drafts of the findings by the index of their verdict, each in the folder of that index.

    A verdict becomes a finding if it shows every time (see :func:`polyjuice.pipeline.repeating`). After its first
    repeat its reproducer starts beside the further repeats, one reproducer at a time. The caller finishes the drafts;
    on exit, unfinished ones are removed. ``from_scratch`` is for their reproducers (see
    :class:`polyjuice.triage.finding.Draft`).
    """
    beside = not any(kind_of(verdict.kind).of_time for verdict in verdicts)
    drafts: dict[int, Draft] = {}

    with ExitStack() as undo:

        def begin(number: int) -> None:
            drafts[number] = undo.enter_context(
                Draft(folders[number], session, case, verdicts[number], from_scratch=from_scratch)
            )
            if beside and not any(draft.runs for draft in drafts.values()):
                drafts[number].begin()

        yield {number: drafts[number] for number in pipeline.repeating(case, verdicts, session, begin)}
