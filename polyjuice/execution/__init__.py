"""Run a compiler in its own process and Python interpreter: a `Worker` turns artifacts into outcomes."""

from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution import changes
from polyjuice.execution.choices import LoweringChoices, Site
from polyjuice.execution.host import Draft, Instead, Worker, probe, run_script
from polyjuice.execution.protocol import Artifact, Gradients, Limits, Memory, Outcome, Probe, Shared, Stage, Status
from polyjuice.execution.scripts import FromScratch, Script
