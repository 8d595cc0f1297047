"""A finding whose program was given, as one whose programs are written from their graphs: those can be reduced."""

from __future__ import annotations

from dataclasses import replace

from polyjuice import pipeline
from polyjuice.execution import LoweringChoices
from polyjuice.lower import Unlowerable, following
from polyjuice.session import CompilerSession
from polyjuice.triage.stored import Stored


def written_anew(stored: Stored, session: CompilerSession) -> Stored | None:
    """The finding with its program written from its graph, in the same forms or plainly; None if neither shows it."""
    (given,) = stored.given.values()
    for anew in (following(given.forms), LoweringChoices()):
        choices = {label: stored.choices.get(label, anew) for label in stored.graphs}
        candidate = replace(stored, choices=choices, given={})
        try:
            case = candidate.case()
        except Unlowerable:
            return None
        if pipeline.shows(pipeline.execute(case, session), stored.verdict, session):
            return candidate
    return None
