"""Run a compiler in a process, and an interpreter, of its own: a `Worker` turns artifacts into outcomes."""

from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution.choices import LoweringChoices, Site
from polyjuice.execution.host import Worker, probe
from polyjuice.execution.protocol import Artifact, Limits, Outcome, Probe, Stage, Status

__all__ = [
    "Artifact",
    "EnvironmentProblem",
    "Limits",
    "LoweringChoices",
    "Outcome",
    "Probe",
    "Site",
    "Stage",
    "Status",
    "Worker",
    "probe",
]
