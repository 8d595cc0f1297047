"""One case, from its index to its result: the straight line of the project.

seed graph -> equivalent variants -> gate -> artifacts -> outcomes -> verdicts -> confirmed findings
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from polyjuice import formats, oracles
from polyjuice.campaign.clock import ACTIVITIES, Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import Budget, Rewriter, Rewriting, Variant, distinct, load
from polyjuice.execution import Limits, Outcome, Worker
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, dtypes
from polyjuice.lower import Unlowerable, lower
from polyjuice.numerics import SAFETY, Analyses, analyse, distance
from polyjuice.oracles import Case, Tested, Verdict
from polyjuice.triage import FindingRecord, write_finding

#: Further seed graphs that a case may try where one has no two different variants, or the framework cannot run it.
_ATTEMPTS = 5

#: How often a verdict must repeat, in one fresh process, to be a finding.
_REPEATS = 3


@dataclass(frozen=True)
class CaseResult:
    """What became of a case: ``pairs`` compared, or why it was ``skipped``; what was found; where the time went.

    ``unsound`` and ``defect`` are faults of our own: a variant that is not equal to its seed graph, an internal error.
    """

    index: int
    pairs: int = 0
    skipped: str = ""
    findings: Sequence[FindingRecord] = ()
    flaky: Sequence[str] = ()
    unsound: Sequence[str] = ()
    defect: str = ""
    seconds: dict[str, float] = field(default_factory=dict)


class Skip(Exception):
    """The case cannot be tested; the message is the reason."""


class Runner:
    """Runs cases of one campaign, one after another, with one worker of its own."""

    def __init__(self, config: Config, out: Path) -> None:
        """Read rules and seeds. Raises RuleError, FormatError, ValueError, EnvironmentProblem."""
        self._config = config
        self._out = out
        self._compiler: CompilerInfo = find(config.compiler)
        self._seeds = Seeds(config.seeds, config.nodes, config.seed)
        rules = load(map(Path, config.rules), config.only_rules, config.without_rules)
        # Who names rules wants them used; otherwise each graph takes a share of all.
        self._rewriter = Rewriter(rules, Budget(rule_share=1.0) if config.only_rules else Budget())
        self._worker = self._new_worker()
        self._clock = Clock()

    def close(self) -> None:
        self._worker.close()

    def run(self, index: int) -> CaseResult:
        """Run one case. Raises EnvironmentProblem where the compiler cannot be used at all."""
        self._clock = Clock()
        before = dict(self._worker.seconds)
        reason = ""
        for attempt in range(_ATTEMPTS if self._seeds.generated else 1):
            try:
                result = self._attempt(index, attempt)
                break
            except Skip as skip:
                reason = str(skip)
        else:
            result = CaseResult(index, skipped=reason)
        spent = self._clock.seconds
        _add_worker_seconds(spent, self._worker.seconds, before)
        return replace(result, seconds=spent)

    def _attempt(self, index: int, attempt: int) -> CaseResult:
        key = f"{self._config.seed}/{index}/{attempt}"
        with self._clock.of("generate"):
            graph = self._seeds.graph(index, attempt)
        with self._clock.of("rewrite"):
            try:
                rewriting = self._rewriter.rewrite(graph, key, self._config.extract, self._config.variants)
            except GraphError as error:
                return CaseResult(index, unsound=[self._store_unsound(index, graph, None, str(error))])
            variants = distinct(rewriting.variants)
        if len(variants) < 2:
            raise Skip("identical: all variants are the same graph")
        with self._clock.of("judge"):
            inputs = self._inputs(graph, key)
            unsound = self._gate(index, graph, variants, inputs)
        if unsound:
            return CaseResult(index, unsound=unsound)
        case = self._execute(key, variants, inputs)
        pairs = sum(a.outcome.status == b.outcome.status == "ok" for a, b in combinations(case.tested, 2))
        with self._clock.of("judge"):
            verdicts = self._judge(case)
        findings, flaky = self._confirm(index, case, verdicts, rewriting)
        if not pairs and not verdicts:
            raise Skip("unsupported: " + _first_line(next(t.outcome for t in case.tested if t.outcome.status != "ok")))
        return CaseResult(index, pairs, findings=findings, flaky=flaky)

    def _inputs(self, graph: Graph, key: str) -> list[tuple[np.ndarray, ...]]:
        try:
            return [make_inputs(graph, profile, key) for profile in self._config.profiles]
        except EvaluationError as error:
            raise Skip(f"no value: {error}") from None

    def _gate(
        self, index: int, graph: Graph, variants: Sequence[Variant], inputs: Sequence[tuple[np.ndarray, ...]]
    ) -> list[str]:
        """Trust no rule: the interpreter must find every variant equal to the seed graph, before a compiler sees it."""
        unsound = []
        for variant in variants:
            problem = difference(graph, variant.graph, inputs)
            if problem:
                unsound.append(self._store_unsound(index, graph, variant, problem))
        return unsound

    def _execute(self, key: str, variants: Sequence[Variant], inputs: Sequence[tuple[np.ndarray, ...]]) -> Case:
        with self._clock.of("lower"):
            try:
                artifacts = [lower(v.graph, self._compiler.format, f"{key} {v.label}") for v in variants]
            except Unlowerable as error:
                raise Skip(f"unsupported: {error}") from None
        outcomes: list[Outcome] = []
        for artifact in artifacts:
            outcomes.append(self._worker.execute(artifact, inputs))
            if outcomes[-1].status == "unsupported":
                raise Skip("unsupported: " + _first_line(outcomes[-1]))
        tested = [
            Tested(v.label, v.graph, artifact, Analyses(v.graph, inputs), outcome)
            for v, artifact, outcome in zip(variants, artifacts, outcomes, strict=True)
        ]
        return Case(self._config.profiles, inputs, tested)

    def _judge(self, case: Case) -> list[Verdict]:
        return [verdict for name in self._config.oracles for verdict in oracles.ORACLES[name](case)]

    def _confirm(
        self, index: int, case: Case, verdicts: Sequence[Verdict], rewriting: Rewriting
    ) -> tuple[list[FindingRecord], list[str]]:
        """Keep the verdicts that repeat every time in a fresh process; write them down."""
        findings, flaky = [], []
        with self._clock.of("other"):
            for number, verdict in enumerate(verdicts):
                if not self._repeats(case, verdict):
                    flaky.append(verdict.message)
                    continue
                folder = self._out / "findings" / f"{index:06d}-{number}-{verdict.kind}"
                findings.append(
                    write_finding(
                        folder,
                        self._compiler,
                        self._config.device,
                        self._versions(),
                        self._config.python,
                        self._config.seed,
                        index,
                        case,
                        verdict,
                        sorted(rewriting.rules),
                        2 * self._config.timeout_s,
                    )
                )
        return findings, flaky

    def _repeats(self, case: Case, verdict: Verdict) -> bool:
        labels = [label for label in (verdict.a, verdict.b) if label]
        with self._new_worker() as worker:
            for _ in range(_REPEATS):
                tested = []
                for label in labels:
                    t = case.of(label)
                    outcome = worker.execute(t.artifact, case.inputs)
                    tested.append(Tested(label, t.graph, t.artifact, t.analyses, outcome))
                again = self._judge(Case(case.profiles, case.inputs, tested))
                if not any((v.kind, v.a, v.output) == (verdict.kind, verdict.a, verdict.output) for v in again):
                    return False
        return True

    def _new_worker(self) -> Worker:
        limits = Limits(compile_s=self._config.timeout_s, run_s=self._config.timeout_s)
        options = {"device": self._config.device}
        return Worker(self._compiler, python=self._config.python, limits=limits, options=options)

    def _versions(self) -> dict[str, str]:
        return {self._compiler.name: self._worker.info["version"], "python": self._worker.info["python"]}

    def _store_unsound(self, index: int, graph: Graph, variant: Variant | None, problem: str) -> str:
        """Keep what our own rules got wrong, apart from the findings."""
        folder = self._out / "unsound" / f"{index:06d}{'-' + variant.label if variant else ''}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        formats.save(graph, folder / "seed.onnx")
        if variant:
            formats.save(variant.graph, folder / "variant.onnx")
        (folder / "problem.txt").write_text(problem + "\n", encoding="utf-8")
        return f"{folder.name}: {problem}"


def difference(graph: Graph, variant: Graph, inputs: Sequence[Sequence[np.ndarray]]) -> str:
    """How the interpreter finds a variant to differ from its seed graph, or "" where they are equal.

    Outputs that are exact must be equal; others, held in float64, may differ by the sum of their error bounds. The
    bounds are worked out only where the values are not as good as equal.
    """
    for x in inputs:
        try:
            values = zip(evaluate(graph, x, "float64"), evaluate(variant, x, "float64"), strict=True)
            if graph.output_types == variant.output_types and all(_as_good_as_equal(a, b) for a, b in values):
                continue
            pairs = zip(analyse(graph, x, "float64", True), analyse(variant, x, "float64", True), strict=True)
            for k, (a, b) in enumerate(pairs):
                allowed = SAFETY * (a.bound + b.bound)
                wrong = np.isfinite(allowed) & (distance(a.reference, b.reference) > allowed)
                if a.type != b.type or wrong.any():
                    return f"output {k} ({a.type}) differs at {int(wrong.sum())} of {wrong.size} elements"
        except EvaluationError as error:
            return f"the variant has no value where the seed graph has one: {error}"
    return ""


def _as_good_as_equal(a: np.ndarray, b: np.ndarray) -> bool:
    """Equal but for the last places of float64."""
    return not bool(np.any(distance(a, b) > 4 * dtypes.unit_roundoff("float64") * np.abs(np.asarray(a, np.float64))))


def _first_line(outcome: Outcome) -> str:
    return (outcome.message.splitlines() or [outcome.status])[0][:200]


def _add_worker_seconds(spent: dict[str, float], now: dict[str, float], before: dict[str, float]) -> None:
    for activity, seconds in now.items():
        name = activity if activity in ACTIVITIES else "other"
        spent[name] += seconds - before[activity]
