"""From a verdict to a folder that someone else can use."""

from polyjuice.triage.bench import Bench, Settings, rerun
from polyjuice.triage.circumstances import Circumstances
from polyjuice.triage.finding import FindingRecord, run_reproducer, write_finding
from polyjuice.triage.loading import Finding, FindingError, annotate, load

__all__ = [
    "Bench",
    "Circumstances",
    "Finding",
    "FindingError",
    "FindingRecord",
    "Settings",
    "annotate",
    "load",
    "rerun",
    "run_reproducer",
    "write_finding",
]
