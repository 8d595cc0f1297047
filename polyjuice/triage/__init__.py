"""From a verdict to a folder that someone else can use."""

from polyjuice.triage.finding import FindingRecord, run_reproducer, write_finding

__all__ = ["FindingRecord", "run_reproducer", "write_finding"]
