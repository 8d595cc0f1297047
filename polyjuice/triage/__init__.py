"""From a verdict to a folder that someone else can use."""

from polyjuice.triage.circumstances import Circumstances
from polyjuice.triage.confirmation import repeats
from polyjuice.triage.finding import run_reproducer, write_finding
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.stored import FindingError

__all__ = ["Circumstances", "FindingError", "FindingRecord", "repeats", "run_reproducer", "write_finding"]
