"""Turn a verdict into a finding's folder, then reduce, bisect and report it."""

from polyjuice.triage.finding import run_reproducer, write_finding
from polyjuice.triage.record import FindingError, FindingRecord

__all__ = ["FindingError", "FindingRecord", "run_reproducer", "write_finding"]
