"""Replace a program as its owner wrote it by one lowered from its graph, which reduction can edit."""

from __future__ import annotations

from dataclasses import replace

from polyjuice import pipeline
from polyjuice.execution import LoweringChoices
from polyjuice.frameworks.lowering import Unlowerable, following
from polyjuice.session import CompilerSession
from polyjuice.triage.stored import Stored


def written_anew(stored: Stored, session: CompilerSession) -> Stored | None:
    """Return the finding with its program lowered again, in the same forms or plainly; None if neither shows it."""
    (as_written,) = stored.as_written.values()
    for anew in (following(as_written.forms), LoweringChoices()):
        choices = {label: stored.choices.get(label, anew) for label in stored.graphs}
        candidate = replace(stored, choices=choices, as_written={})
        try:
            case = candidate.case()
        except Unlowerable:
            return None
        if pipeline.shows(pipeline.execute(case, session), stored.verdict, session):
            return candidate
    return None
