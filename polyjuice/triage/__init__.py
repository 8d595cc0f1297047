"""From a verdict to a folder that someone else can use."""

from polyjuice.triage.circumstances import Circumstances
from polyjuice.triage.confirmation import repeats
from polyjuice.triage.finding import FindingRecord, run_reproducer, write_finding

__all__ = ["Circumstances", "FindingRecord", "repeats", "run_reproducer", "write_finding"]
