"""Run a compiler in a process, and an interpreter, of its own: a `Worker` turns artifacts into outcomes."""

from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution.choices import LoweringChoices, Site
from polyjuice.execution.host import Worker, probe
from polyjuice.execution.protocol import Artifact, Limits, Memory, Outcome, Probe, Shared, Stage, Status

__all__ = [
    "Artifact",
    "EnvironmentProblem",
    "Limits",
    "LoweringChoices",
    "Memory",
    "Outcome",
    "Probe",
    "Shared",
    "Site",
    "Stage",
    "Status",
    "Worker",
    "probe",
]
