"""The steps that every case takes: equivalent, lower, prepare, execute, judge, and whether a verdict shows again.

Campaigns, `polyjuice.check`, suites, stored findings, replay, reduction and bisection call these functions, and nothing
below them. The interpreter finds a seed graph and its variants equal. They become programs of one format. One compiler
compiles and runs them, and oracles judge the results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.equivalence import difference
from polyjuice.execution import Artifact, LoweringChoices, Outcome, Status
from polyjuice.frameworks import registry
from polyjuice.frameworks.choosers import Chooser
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.lowering import CoverageTarget, Unlowerable
from polyjuice.frameworks.lowering import lower as lower_graph
from polyjuice.frameworks.onnx.versions import OPSET
from polyjuice.inputs import mode_in
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph
from polyjuice.numerics import Analyses, describe
from polyjuice.numerics import judge as judged
from polyjuice.oracles import Case, InputSet, Program, Verdict, kind_of
from polyjuice.oracles import find as find_oracle
from polyjuice.session import CompilerSession

REPEATS = 3
"""A verdict is a finding if it shows in this many fresh processes, one after another.

One is enough for a hang: each takes the whole time limit, which is hundreds of times the time of a compilation.
"""


@dataclass(frozen=True, kw_only=True)
class Target:
    """The form that programs must have: a format, the opset of ONNX models, and what the compiler's importer lacks.

    ``lacks`` names idioms and forms that no program may have. ``lacked`` returns those of some forms that the compiler
    does not take, which it may have to try.
    """

    format: str
    opset: int = OPSET
    lacks: Sequence[str] = ()
    lacked: Callable[[Sequence[Form]], Sequence[str]] = lambda forms: ()


class Drawing(TypedDict, total=False):
    """The arguments for drawing choices (see :func:`polyjuice.frameworks.lowering.lower`)."""

    repeated: Mapping[str, int]
    unknown_sizes: float
    seed_forms: Collection[str]
    wanted: CoverageTarget


def target_of(compiler: CompilerInfo, opset: int = OPSET) -> Target:
    """The target that a compiler's file declares. Starts no process."""
    return Target(format=compiler.format, opset=opset, lacks=compiler.lacks)


def input_set(graph: Graph, profile: str, arrays: Sequence[np.ndarray], compiler: CompilerInfo) -> InputSet:
    """A set of inputs for a seed graph, with its results in float64. Raises EvaluationError where it has no value."""
    made = InputSet(profile=profile, arrays=tuple(arrays), mode=mode_in(profile, compiler))
    evaluate(graph, arrays, "float64", shared=made.shared)
    return made


def equivalent(graph: Graph, variants: Iterable[Graph], sets: Sequence[InputSet]) -> list[str]:
    """For each variant, how it differs from its seed graph on the inputs, by the interpreter; "" where it is equal."""
    inputs, modes, shared = [one.arrays for one in sets], [one.mode for one in sets], [one.shared for one in sets]
    return ["" if variant is graph else difference(graph, variant, inputs, modes, shared) for variant in variants]


def lower(graph: Graph, by: LoweringChoices | Chooser | str, target: Target, **drawing: Unpack[Drawing]) -> Artifact:
    """Write a graph as a program of the target's format, by given choices, or by choices drawn from a key.

    The target takes all choices that a key draws. ``drawing`` has the arguments for drawing (see
    :func:`polyjuice.frameworks.lowering.lower`). Raises Unlowerable where the format cannot express the graph.
    """

    def written(lacks: Sequence[str]) -> Artifact:
        return lower_graph(graph, target.format, by, opset=target.opset, lacks=lacks, **drawing)

    if isinstance(by, LoweringChoices):
        return written(())
    artifact = written(target.lacks)
    lacked = target.lacked(artifact.forms)
    return written((*target.lacks, *lacked)) if lacked else artifact


def plainly(case: Case, target: Target) -> Case | None:
    """Write the programs of a case again in ONNX's plain form, at the opset at which graphs are stored.

    Keeps the opset where the target has one. Returns None where no program changes, or where one cannot be written so.
    """
    without_forms = registry.find(target.format).without_forms
    before = [program.artifact.choices for program in case.programs]
    after = [choices and without_forms.load()(choices, target.opset) for choices in before] if without_forms else before
    if after == before:
        return None
    with suppress(Unlowerable):
        programs = [
            program if choices is None else replace(program.not_run(), artifact=lower(program.graph, choices, target))
            for program, choices in zip(case.programs, after, strict=True)
        ]
        return replace(case, programs=programs)
    return None


def prepare(
    label: str, graph: Graph, artifact: Artifact, sets: Sequence[InputSet], *, user_program: bool = False
) -> Program:
    """A program that has not run yet, with the analysis of its graph. ``user_program`` says that the user wrote it."""
    analyses = Analyses(graph, [one.arrays for one in sets], [one.mode for one in sets], [one.shared for one in sets])
    return Program(label=label, graph=graph, artifact=artifact, analyses=analyses, user_program=user_program)


def execute(case: Case, session: CompilerSession, *, all_or_none: bool = False) -> Case:
    """Compile and run the programs of a case that have not run yet, on all of its sets of inputs.

    With ``all_or_none``, stop after the first program that the compiler does not support.
    """
    programs = list(case.programs)
    for number, program in enumerate(programs):
        if not program.waits:
            continue
        run = session.execute_user_program if program.user_program else session.execute
        programs[number] = replace(program, outcome=program.complete(run(program.artifact, case.inputs)))
        if all_or_none and programs[number].outcome.status == "unsupported":
            break
    return replace(case, programs=programs)


def execute_together(cases: Sequence[Case], session: CompilerSession) -> list[Case]:
    """Like `execute` for several cases, for a compiler that compiles several programs faster together.

    A program that ended the compiler's process among others runs once more alone.
    """
    asked = [
        (case, program) for case in cases for program in case.programs if program.waits and not program.user_program
    ]
    outcomes: dict[int, Outcome] = {}
    if session.compiler.batches and len(asked) > 1:
        packs = [(program.artifact, case.inputs, 1) for case, program in asked]
        for (_, program), outcome in zip(asked, session.execute_together(packs), strict=True):
            if outcome and outcome.status not in (Status.crash, Status.hang):
                outcomes[id(program)] = program.complete(outcome)
    return [
        execute(
            replace(case, programs=[_with(program, outcomes.get(id(program))) for program in case.programs]), session
        )
        for case in cases
    ]


def _with(program: Program, outcome: Outcome | None) -> Program:
    return replace(program, outcome=outcome) if outcome else program


def misplaced(program: Program) -> str:
    """How a program that writes into its inputs differs, uncompiled, from its graph; "" where it does not.

    Where it does, our lowering overwrote a value that was still needed, and the compiler is not to blame.
    """
    if program.user_program or not program.graph.updates:
        return ""
    for outputs, analyses in zip(program.outcome.reference or (), program.analyses, strict=False):
        for k, (array, analysis) in enumerate(zip(outputs, analyses, strict=True)):
            wrong = array.shape == analysis.reference.shape and judged(array, analysis)
            if wrong:
                return f"output {k}: uncompiled, {describe(program.label, array, analysis, wrong)}"
    return ""


def judge(case: Case, session: CompilerSession, oracles: Iterable[str]) -> list[Verdict]:
    """The verdicts of the named oracles on a case that has run."""
    return [verdict for name in oracles for verdict in find_oracle(name).judge(case, session)]


def rerun(case: Case, session: CompilerSession) -> Case:
    """Compile and run all programs of a case once more."""
    return execute(not_run(case), session)


def not_run(case: Case) -> Case:
    """The case as it was before its programs ran."""
    return replace(case, programs=[program.not_run() for program in case.programs])


def shows(case: Case, verdict: Verdict, session: CompilerSession) -> bool:
    """Whether the verdict's oracle finds the same fault in a case that has run."""
    return find_oracle(verdict.oracle).triggers(verdict, case, session)


def tries(kind: str) -> int:
    """The number of runs before a fault of that kind counts as gone."""
    return kind_of(kind).tries


def repeats(case: Case, verdict: Verdict, session: CompilerSession) -> bool:
    """Whether a verdict shows every time, each time in fresh processes."""
    return bool(repeating(case, {0: verdict}, session))


def repeating(case: Case, verdicts: Mapping[int, Verdict], session: CompilerSession, *, done: int = 0) -> list[int]:
    """The numbers of the verdicts that show every time, each time in fresh processes; ``done`` times they have."""
    left = verdicts
    for time in range(done, REPEATS):
        asked = {number: one for number, one in left.items() if not (time and kind_of(one.kind).endless)}
        shown = shown_again(case, asked, session)
        left = {number: one for number, one in left.items() if number in shown or number not in asked}
    return list(left)


def shown_again(case: Case, verdicts: Mapping[int, Verdict], session: CompilerSession) -> dict[int, Case]:
    """Run the sides of verdicts once more. Return, for each verdict that shows, the case that ran, by its number.

    Verdicts on the same sides share fresh processes.
    """
    groups: dict[frozenset[str], list[int]] = {}
    for number, verdict in verdicts.items():
        groups.setdefault(frozenset([verdict.a, verdict.b]), []).append(number)
    found: dict[int, Case] = {}
    for labels, numbers in groups.items():
        with session.fresh() as fresh:
            again = rerun(case.only(labels), fresh)
            found |= {number: again for number in numbers if shows(again, verdicts[number], fresh)}
    return found


def first_line(outcome: Outcome) -> str:
    """Why a program did not run, in one line."""
    return (outcome.message.splitlines() or [outcome.status])[0][:200]
