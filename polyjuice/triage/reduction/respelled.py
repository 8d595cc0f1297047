"""A finding whose program was given, as one whose programs are written from their graphs: those can be reduced."""

from __future__ import annotations

from dataclasses import replace

from polyjuice import pipeline
from polyjuice.lower import Unlowerable
from polyjuice.oracles import Spelling
from polyjuice.session import CompilerSession
from polyjuice.triage.stored import Stored

#: How many spellings of the graph are tried.
_SPELLINGS = 8


def respelled(stored: Stored, session: CompilerSession) -> Stored | None:
    """The finding with every given program spelled anew in a way that shows the fault; None where no way does."""
    for number in range(_SPELLINGS):
        anew = Spelling(f"respelled {number}", {}, unknown_sizes=0.0)
        spellings = {label: stored.spellings.get(label, anew) for label in stored.graphs}
        candidate = replace(stored, spellings=spellings, given={})
        try:
            case = candidate.case()
        except Unlowerable:
            return None
        if pipeline.shows(pipeline.execute(case, session), stored.verdict, session):
            return candidate
    return None
