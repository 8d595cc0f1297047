"""The cases that an oracle sees, the runs that it may ask for, and its verdicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, Outcome, Status
from polyjuice.interpret import Shared
from polyjuice.ir import Graph, TensorType
from polyjuice.numerics import Analyses, Mode

NOT_RUN = Outcome(status=Status.unsupported, message="not run yet")
"""The outcome of a program that the compiler has not run yet."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """One variant in one format, with its analyses and its outcome.

    ``analyses`` holds one analysis for each set of inputs of its case. ``user_program`` marks a program that the user
    wrote. For all others the artifact has the lowering choices that made it.
    """

    label: str
    graph: Graph
    artifact: Artifact
    analyses: Analyses
    outcome: Outcome = NOT_RUN
    user_program: bool = False

    @property
    def ran(self) -> bool:
        """Whether the program ran and returned results."""
        return self.outcome.status == "ok"

    def result(self, k: int) -> str:
        """An output as a message calls it: by its name where it is an input or a buffer that the program writes."""
        number = dict(self.artifact.setup.get("updates", ())).get(k)
        if number is None:
            return f"output {k}"
        name = dict(enumerate(self.artifact.parameters)).get(number, str(number))
        return f"the {'input' if number < len(self.graph.inputs) else 'buffer'} `{name}`"

    def result_type(self, i: int, k: int) -> TensorType:
        """The type of an output for a set of inputs: the declared one, or the analysis's where sizes are unknown."""
        declared = self.graph.output_types[k]
        return declared if declared.known else self.analyses[i][k].type

    @property
    def waits(self) -> bool:
        """Whether the compiler has not run the program yet."""
        return self.outcome is NOT_RUN

    def complete(self, outcome: Outcome) -> Outcome:
        """Return an outcome of this program, or an error if the compiler returned another number of outputs."""
        if outcome.status != Status.ok:
            return outcome
        own = len(self.graph.outputs)
        fine = {own, *(len(one) for one in outcome.reference or ())}
        if wrong := {len(one) for one in outcome.outputs or ((),)} - fine:
            message = f"the compiled program returns another number of outputs: {wrong.pop()} instead of {own}"
            return replace(outcome, status=Status.error, stage="run", outputs=(), memory=(), message=message)
        return outcome

    def not_run(self) -> Program:
        """The program without its outcome."""
        return replace(self, outcome=NOT_RUN)


@dataclass(frozen=True, kw_only=True)
class InputSet:
    """Arrays for the inputs of a case's graphs, and the results of operators on them that the graphs share.

    ``profile`` names the kind of values, ``mode`` the assumptions of the analysis on them.
    """

    profile: str
    arrays: tuple[np.ndarray, ...]
    mode: Mode = field(default_factory=Mode)
    shared: Shared = field(default_factory=Shared, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One seed graph: its variants as programs, and the sets of inputs on which they run.

    ``broken`` names the constraint that the graph breaks on purpose, if any. Such a graph has no meaning: the case has
    one program, for which the compiler should raise an error. ``rules`` are those that fired in the e-graph. ``seed``
    and ``index`` identify the campaign and the case in it. ``part`` is the part of the compiler at which the seed graph
    aims, if any. ``changes`` are the kinds of changes that make it a near miss of the part's pattern.
    """

    sets: Sequence[InputSet]
    programs: Sequence[Program]
    broken: str = ""
    rules: Sequence[str] = ()
    seed: int = 0
    index: int = 0
    part: str = ""
    changes: Sequence[str] = ()

    @property
    def inputs(self) -> list[tuple[np.ndarray, ...]]:
        """The arrays of each set."""
        return [one.arrays for one in self.sets]

    @property
    def profiles(self) -> list[str]:
        """The profile of each set."""
        return [one.profile for one in self.sets]

    @property
    def ran(self) -> list[Program]:
        """The programs that ran and returned results."""
        return [program for program in self.programs if program.ran]

    def of(self, label: str) -> Program:
        """The program with this label."""
        return next(program for program in self.programs if program.label == label)

    def blamed(self, verdict: Verdict) -> Program:
        """A verdict's culprit, or its first side where that is unknown, or is the first side under other conditions."""
        return next((program for program in self.programs if program.label == verdict.culprit), self.of(verdict.a))

    def only(self, labels: Collection[str]) -> Case:
        """The case with only the programs of these labels."""
        return replace(self, programs=[program for program in self.programs if program.label in labels])


class CompilerAccess(Protocol):
    """The compiler under test, for oracles that need further runs of a case's programs."""

    @property
    def compiler(self) -> CompilerInfo:
        """The compiler's description."""

    @property
    def parts(self) -> Sequence[str]:
        """The parts of the compiler that can be switched off one by one (see `CompilerInfo.switched`)."""

    @property
    def anytime(self) -> Sequence[str]:
        """The passes that may run first, in any order (`anytime` of its file)."""

    def execute(
        self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]], *, level: str = "", compile: bool = True
    ) -> Outcome:
        """Compile and run a program once more, at an optimization level of the compiler (by default its default).

        ``level`` may also be another change of conditions (see `polyjuice.execution.changes`).
        Without ``compile``, make only the framework's uncompiled run.
        """

    def uncompiled(self, model: bytes, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        """The outputs of an ONNX model by ONNX's reference evaluator; None where that cannot run it."""

    def measure(self, artifact: Artifact, inputs: Sequence[Sequence[np.ndarray]]) -> Outcome:
        """Compile once more and run many times on the first set of inputs: the outcome's ``times`` and ``peak``."""


MISTYPED = "type"
"""The comparison of a verdict on a result's element type or shape."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One thing that an oracle found wrong."""

    oracle: str
    """The name of the oracle."""

    kind: str
    """The name of its kind (see :class:`polyjuice.oracles.oracle.Kind`)."""

    a: str
    """The label of the first variant."""

    b: str
    """The label of the variant that differs from ``a``, or for a crash of one that does not fail. It is "" where ``a``
    differs from something other than a variant."""

    message: str
    """The fault, said for a person."""

    signature: str
    """A text that all verdicts on one bug have in common."""

    inputs: int = 0
    """The number of the set of inputs that shows it."""

    output: int = 0
    """The number of the output that shows it, or of what the oracle derives from outputs."""

    culprit: str = ""
    """The label of the side that is wrong, where that is known."""

    comparison: str = ""
    """How results were compared: ``bitwise``, ``bounded``, ``uncompiled``, or ``type`` where the element type or the
    shape is wrong. Other kinds of verdicts have further ones."""

    allowed: np.ndarray | None = field(default=None, repr=False)
    """For each element, the largest difference that would be no fault."""

    expected: np.ndarray | None = field(default=None, repr=False)
    """The arrays that ``a`` was compared with, where that was no other program."""

    level: str = ""
    """The optimization level, or another change of conditions, with which ``a`` differs from itself without it (see
    `polyjuice.execution.changes`)."""

    alone: bool = False
    """Whether the signature names the cause: what one operator does with one element type, where our interpreter knows
    nothing."""

    @classmethod
    def against(cls, t: Program, **fields: Any) -> Verdict:
        """Return a verdict against a program that was compared with no other variant, with these further fields."""
        return cls(a=t.label, b="", culprit=t.label, **fields)

    @property
    def mistyped(self) -> bool:
        """Whether the element type or the shape of a result is wrong."""
        return self.comparison == MISTYPED

    def same_fault(self, other: Verdict) -> bool:
        """Whether two verdicts report the same fault of the same program, possibly in other words or numbers."""
        mine, its = ((v.oracle, v.kind, v.a, v.output, v.level, v.mistyped) for v in (self, other))
        return mine == its
