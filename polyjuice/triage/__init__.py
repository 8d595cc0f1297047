"""From a verdict to a folder that someone else can use."""

from polyjuice.triage.finding import run_reproducer, write_finding
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.stored import FindingError

__all__ = ["FindingError", "FindingRecord", "run_reproducer", "write_finding"]
