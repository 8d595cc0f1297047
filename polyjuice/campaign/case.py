"""One case, from its index to its result: the straight line of the project.

seed graph -> equivalent variants -> gate -> artifacts -> outcomes -> verdicts -> confirmed findings
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import comb
from pathlib import Path

import numpy as np

from polyjuice import formats
from polyjuice.campaign.bench import Bench
from polyjuice.campaign.clock import ACTIVITIES, Clock
from polyjuice.campaign.config import ORIGINAL, Config
from polyjuice.campaign.gate import difference
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo, find
from polyjuice.egraph import Budget, Rewriter, Rule, Saturated, Variant, distinct, partners, windows
from polyjuice.execution import Artifact, Outcome
from polyjuice.inputs import make_inputs, ranges
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, TensorType
from polyjuice.lower import Unlowerable, lower, repeat, repeated_axes
from polyjuice.numerics import Analyses
from polyjuice.ops import Op
from polyjuice.oracles import ORACLES, Case, Tested, Verdict
from polyjuice.support import Support
from polyjuice.triage import FindingRecord, write_finding

#: Further seed graphs that a case may try where one has no two different variants, or the framework cannot run it.
_ATTEMPTS = 5

#: Generated graphs that share an e-graph, by index: cases 0 to 15, 16 to 31, ... (it costs each a fraction). That
#: counts where the compiler is fast. Elsewhere a case has its own: it then need not wait until the compiler was asked
#: for the operators of fifteen more.
BATCH = 16

#: Chance that the variants of a case are spelled in the same way, as far as that can be.
_ALIKE = 0.5

#: In how many fresh processes, one after another, a verdict must repeat to be a finding.
_REPEATS = 3


@dataclass(frozen=True)
class CaseResult:
    """What became of a case: ``pairs`` compared, or why it was ``skipped``; what was found; where the time went.

    ``rules`` are those that fired in the e-graph of its graph. ``unsound`` and ``defect`` are faults of our own: a
    variant that is not equal to its seed graph, an internal error.
    """

    index: int
    pairs: int = 0
    skipped: str = ""
    findings: Sequence[FindingRecord] = ()
    flaky: Sequence[str] = ()
    unsound: Sequence[str] = ()
    rules: Sequence[str] = ()
    defect: str = ""
    seconds: dict[str, float] = field(default_factory=dict)


class Skip(Exception):
    """The case cannot be tested; the message is the reason."""


class Runner:
    """Runs cases of one campaign, one after another, on a bench of its own."""

    def __init__(self, config: Config, out: Path, rules: Sequence[Rule]) -> None:
        """Read the seeds. Raises FormatError, ValueError, EnvironmentProblem."""
        self._config = config
        self._out = out
        self._compiler: CompilerInfo = find(config.compiler)
        self._seeds = Seeds(config.seeds, config.nodes, config.seed, out, partners(rules))
        # Who names rules wants them used; otherwise each graph takes a share of all.
        self._rewriter = Rewriter(rules, Budget(rules=None) if config.only_rules else Budget())
        self._bench = Bench(config, self._compiler)
        self._support = Support(self._compiler, self._bench.worker(), config.opset)
        self._oracles = [ORACLES[name] for name in config.oracles]
        self._least = max(oracle.least for oracle in self._oracles)
        self._clock = Clock()
        self._batch: tuple[int, Saturated | None] = (-1, None)

    def close(self) -> None:
        self._bench.close()

    def run(self, index: int) -> CaseResult:
        """Run one case. Raises EnvironmentProblem where the compiler cannot be used at all."""
        self._clock = Clock()
        before = self._bench.seconds
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
        _add_worker_seconds(spent, self._bench.seconds, before)
        return replace(result, seconds=spent)

    def _attempt(self, index: int, attempt: int) -> CaseResult:
        key = f"{self._config.seed}/{index}/{attempt}"
        rewritten = self._config.extract != ORIGINAL
        small = rewritten and self._seeds.generated and self._config.nodes <= windows.LARGEST
        batch = self._batch_of(index) if small and self._compiler.fast and not attempt else None
        with self._clock.of("generate"):
            graph = batch.graphs[index % BATCH] if batch else self._seeds.graph(index, attempt, self._takes)
        if not graph.nodes:
            raise Skip(f"unsupported: {self._support.refusal or 'no operator suits'}")
        with self._clock.of("rewrite"):
            try:
                variants, rules = self._variants(graph, batch, index, key)
            except GraphError as error:
                return CaseResult(index, unsound=[self._store_unsound(index, graph, None, str(error))])
        if len(variants) < self._least:
            raise Skip("identical: all variants are the same graph")
        with self._clock.of("judge"):
            inputs = self._inputs(graph, key)
            unsound = self._gate(index, graph, variants, inputs)
        if unsound:
            return CaseResult(index, unsound=unsound)
        case = self._execute(key, variants, inputs)
        pairs = comb(len(case.ran), min(len(case.tested), 2))
        with self._clock.of("judge"):
            verdicts = self._judge(case)
        findings, flaky = self._confirm(index, case, verdicts, rules)
        if not pairs and not verdicts:
            raise Skip("unsupported: " + _first_line(next(t.outcome for t in case.tested if t.outcome.status != "ok")))
        return CaseResult(index, pairs, findings=findings, flaky=flaky, rules=rules)

    def _variants(
        self, graph: Graph, batch: Saturated | None, index: int, key: str
    ) -> tuple[Sequence[Variant], Sequence[str]]:
        """The variants to test, each another graph, and the rules that fired. Raises GraphError where one failed."""
        if self._config.extract == ORIGINAL:
            return [Variant(ORIGINAL, graph)], []
        how = (key, self._config.extract, self._config.variants, self._takes)
        if batch:
            rewriting = self._rewriter.extract(batch, index % BATCH, *how)
        else:
            rewriting = windows.rewrite(self._rewriter, graph, *how, ranges(graph))
        return distinct(rewriting.variants), sorted(rewriting.rules)

    def _batch_of(self, index: int) -> Saturated | None:
        """The e-graph that the case's first seed graph shares; None where a rule failed, on whichever graph."""
        number = index // BATCH
        if self._batch[0] != number:
            with self._clock.of("generate"):
                graphs = [self._seeds.graph(number * BATCH + i, 0, self._takes) for i in range(BATCH)]
            with self._clock.of("rewrite"):
                try:
                    key = f"{self._config.seed}/batch {number}"
                    self._batch = number, self._rewriter.saturate(graphs, key, list(map(ranges, graphs)))
                except GraphError:
                    self._batch = number, None
        return self._batch[1]

    def _takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the compiler takes an operator; it may have to be asked."""
        with self._clock.apart():
            return self._support.takes(op, operands, results)

    def _inputs(self, graph: Graph, key: str) -> list[tuple[np.ndarray, ...]]:
        try:
            axes = repeated_axes(graph, key)
            return [repeat(graph, make_inputs(graph, profile, key), axes) for profile in self._config.profiles]
        except EvaluationError as error:
            raise Skip(f"no value: {error}") from None

    def _gate(
        self, index: int, graph: Graph, variants: Sequence[Variant], inputs: Sequence[tuple[np.ndarray, ...]]
    ) -> list[str]:
        """Trust no rule: the interpreter must find every variant equal to the seed graph, before a compiler sees it."""
        unsound = []
        try:
            values = [evaluate(graph, x, "float64") for x in inputs]
        except EvaluationError as error:
            raise Skip(f"no value: {error}") from None
        for variant in variants:
            problem = difference(graph, variant.graph, inputs, values)
            if problem:
                unsound.append(self._store_unsound(index, graph, variant, problem))
        return unsound

    def _execute(self, key: str, variants: Sequence[Variant], inputs: Sequence[tuple[np.ndarray, ...]]) -> Case:
        with self._clock.of("lower"):
            try:
                artifacts = [self._lower(v, key) for v in variants]
            except Unlowerable as error:
                raise Skip(f"unsupported: {error}") from None
        outcomes: list[Outcome] = []
        for artifact in artifacts:
            outcomes.append(self._bench.execute(artifact, inputs))
            if outcomes[-1].status == "unsupported":
                raise Skip("unsupported: " + _first_line(outcomes[-1]))
        tested = [
            Tested(v.label, v.graph, artifact, Analyses(v.graph, inputs), outcome)
            for v, artifact, outcome in zip(variants, artifacts, outcomes, strict=True)
        ]
        return Case(self._config.profiles, inputs, tested)

    def _lower(self, variant: Variant, key: str) -> Artifact:
        """The idioms of all variants of a case are chosen alike, or for each variant anew."""
        alike = random.Random(f"alike {key}").random() < _ALIKE
        return lower(
            variant.graph,
            self._compiler.format,
            key if alike else f"{key} {variant.label}",
            repeated=repeated_axes(variant.graph, key),
            opset=self._config.opset,
            lacks=self._compiler.lacks,
        )

    def _judge(self, case: Case) -> list[Verdict]:
        """What the oracles say, in the order in which the user names them; none repeats what another has said."""
        verdicts: list[Verdict] = []
        for oracle in self._oracles:
            said = {(v.kind, v.culprit, v.inputs, v.output) for v in verdicts if v.culprit}
            found = oracle.judge(case, self._bench)
            verdicts += [v for v in found if (v.kind, v.culprit, v.inputs, v.output) not in said]
        return verdicts

    def _confirm(
        self, index: int, case: Case, verdicts: Sequence[Verdict], rules: Sequence[str]
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
                        self._bench.versions,
                        self._config.python,
                        self._config.seed,
                        index,
                        case,
                        verdict,
                        rules,
                        2 * self._config.timeout_s,
                    )
                )
        return findings, flaky

    def _repeats(self, case: Case, verdict: Verdict) -> bool:
        sides = [case.of(label) for label in (verdict.a, verdict.b) if label]
        for _ in range(_REPEATS):
            with self._bench.fresh() as bench:
                tested = [replace(t, outcome=bench.execute(t.artifact, case.inputs)) for t in sides]
                if not ORACLES[verdict.oracle].triggers(verdict, replace(case, tested=tested), bench):
                    return False
        return True

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


def _first_line(outcome: Outcome) -> str:
    return (outcome.message.splitlines() or [outcome.status])[0][:200]


def _add_worker_seconds(spent: dict[str, float], now: dict[str, float], before: dict[str, float]) -> None:
    for activity, seconds in now.items():
        name = activity if activity in ACTIVITIES else "other"
        spent[name] += seconds - before.get(activity, 0.0)
