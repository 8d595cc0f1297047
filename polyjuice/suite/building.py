"""Build a suite: make more cases than asked for, keep those that cover most together, and add the test harness.

A case is made from a seed graph: two equivalent graphs of its e-graph, with their programs and features.
"""

from __future__ import annotations

import heapq
import multiprocessing
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice import pipeline
from polyjuice.campaign.processes import end_with_parent
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import EnvironmentProblem, find
from polyjuice.egraph import Budget, Rewriter, graph_windows, load, partners
from polyjuice.execution import Artifact
from polyjuice.frameworks import registry
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.lowering import Unlowerable, repeat, repeated_axes
from polyjuice.generate.instances import Signature, instance
from polyjuice.generate.published.metrics import paths
from polyjuice.inputs import USUAL_PROFILES, draw, make_inputs, plans
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, GraphError, TensorType, digest
from polyjuice.ops import Op
from polyjuice.ops.spec import CONTRIB
from polyjuice.session import CompilerSession, Conditions
from polyjuice.suite import cases
from polyjuice.suite.cases import SIDES, A, B, SuiteError
from polyjuice.support import Support
from polyjuice.wording import counted

UNSOUND = "unsound"
"""The prefix of a refusal that is a fault of Polyjuice itself."""

Made = frozenset[str] | str
"""The features of a case, or why there is none, as ``reason: details``."""

_RULES = 100
"""The number of rules enabled for a pair, a third of a campaign's.

A case names the rules that fired as the reason why its programs are equal, so few are better. A suite covers the other
rules by its many cases.
"""

_ALIKE = 0.5
"""The probability that both programs of a pair draw their lowering choices by one key."""

_TRIES = 3
"""The most graphs of an operator to lower before a format counts as unable to express it."""

_FEW = 3
"""The most operators of one side alone that count, because their pairs with the other side's are many."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of ``polyjuice suite build`` (see its help); paths of ``rules`` are absolute.

    ``compilers`` are those that must take the programs. ``traced`` are those whose passes count as features.
    """

    count: int
    formats: tuple[str, ...] = field(default_factory=registry.in_suites)
    seed: int = 0
    nodes: int = 10
    strategy: str = "default"
    rules: tuple[str, ...] = ()
    compilers: tuple[str, ...] = ()
    traced: tuple[str, ...] = ()
    opset: int = 18

    @property
    def candidates(self) -> int:
        """The number of pairs to choose from, in proportion smaller for large suites, which gain less from a choice."""
        return self.count + max(min(self.count, 24), self.count // 4)

    def described(self) -> dict[str, Any]:
        """The options as JSON has them, with only the file names of rules, because paths mean nothing elsewhere."""
        return {**asdict(self), "rules": [path.rpartition("/")[2] for path in self.rules]}


class Maker:
    """Writes cases to a folder, each from the suite's seed and its number alone; close it after use."""

    def __init__(self, options: Options, folder: Path) -> None:
        """Load the rules. Raises RuleError, SolverMissing, and EnvironmentProblem for an unknown compiler."""
        self._options, self._folder = options, folder
        rules = load(map(Path, options.rules))
        self._rewriter = Rewriter(rules, Budget(rules=_RULES))
        self._plans = plans(USUAL_PROFILES, {rule.ruleset for rule in rules})
        self._seeds = Seeds((options.strategy,), options.nodes, options.seed, None, partners(rules))
        conditions = Conditions(opset=options.opset)
        self._asked = [CompilerSession(conditions, find(name)) for name in options.compilers]
        self._traced = [CompilerSession(conditions, find(name), trace=True) for name in options.traced]
        self._supports = [Support(session.compiler, session.worker(), options.opset) for session in self._asked]
        self._targets = {format: self._target(format) for format in options.formats}
        self._unasked = set(options.formats).difference(session.compiler.format for session in self._asked)
        self._spelled: dict[tuple[str, str], bool] = {}

    def close(self) -> None:
        """End the compilers' processes."""
        for session in (*self._asked, *self._traced):
            session.close()

    def case(self, number: int) -> Made:
        """Write a case to its folder, which its number names."""
        try:
            return self._case(number)
        except GraphError as error:
            return f"{UNSOUND}: a rule failed on candidate {number}: {error}"
        except cases.Unequal as error:
            return f"{UNSOUND}: candidate {number}: {error}"
        except Unlowerable as error:
            return f"unsupported: {error}"
        except EvaluationError as error:
            return f"no value: {error}"
        except cases.Unfit as error:
            return str(error)

    def _case(self, number: int) -> Made:
        options = self._options
        key = f"{options.seed}/{number}"
        seed = self._seeds.graph(number, 0, self._takes)
        plan = draw(self._plans, key)
        profiles = plan.profiles_of(seed)
        rewriting = graph_windows.rewrite(
            self._rewriter, seed, key, accepts=self._takes, ranges=plan.ranges(seed), rulesets=plan.rulesets
        )
        graphs = dict(zip(SIDES, (variant.graph for variant in rewriting.variants), strict=True))
        if digest(graphs[A]) == digest(graphs[B]):
            return "identical: all variants are the same graph"
        rng = random.Random(f"suite {key}")
        keys = {A: key, B: key if rng.random() < _ALIKE else f"{key} {B}"}
        profile = rng.choice(profiles)
        repeated = repeated_axes(seed, key)
        programs = {
            format: {side: pipeline.lower(graphs[side], keys[side], target, repeated=repeated) for side in SIDES}
            for format, target in self._targets.items()
        }
        inputs = repeat(seed, make_inputs(seed, profile, key, list(graphs.values()), plan.large), repeated)
        if refusal := self._refusal(programs, inputs):
            return f"unsupported: {refusal}"
        features = features_of(graphs[A], graphs[B], rewriting.rules)
        features = features.union(*(_passes(session, programs, inputs) for session in self._traced))
        about = {
            "rules": dict(sorted(rewriting.rules.items())),
            "covers": sorted(name for name in features if not name.startswith("rule ")),
            "origin": {"seed": options.seed, "candidate": number, "strategy": options.strategy},
        }
        cases.write(self._folder / str(number), graphs, programs, profile, inputs, about, seed)
        return features

    def _refusal(self, programs: Mapping[str, Mapping[str, Artifact]], inputs: Sequence[np.ndarray]) -> str:
        """Why an installed compiler of the suite does not take a program; "" if each takes all of its format.

        Where a compiler takes all that its framework runs, only the framework runs the program: that is faster.
        """
        for session in self._asked:
            compiles = session.compiler.probe_compiles
            for artifact in programs[session.compiler.format].values():
                outcome = session.worker().execute(artifact, [inputs], reference=not compiles, compile=compiles)
                if outcome.status == "unsupported":
                    return f"{session.compiler.name}: {pipeline.first_line(outcome)}"
        return ""

    def _target(self, format: str) -> pipeline.Target:
        """Programs that every compiler of the format takes, in ONNX's own operators."""
        supports = [support for support in self._supports if support.compiler.format == format]

        def lacked(forms: Sequence[Form]) -> Sequence[str]:
            return list(dict.fromkeys(name for support in supports for name in support.lacked(forms)))

        lacks = {CONTRIB, *(name for support in supports for name in support.compiler.lacks)}
        return pipeline.Target(format=format, opset=self._options.opset, lacks=sorted(lacks), lacked=lacked)

    def _takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether all compilers of the suite take an operator, and formats without a compiler can express it."""
        return all(self._spells(format, Signature.of(op, operands, results)) for format in self._unasked) and all(
            support.takes(op, operands, results) for support in self._supports
        )

    def _spells(self, format: str, signature: Signature) -> bool:
        key = (format, str(signature))
        if key not in self._spelled:
            graphs = [instance(signature, random.Random(f"{signature} {attempt}")) for attempt in range(_TRIES)]
            self._spelled[key] = any(map(partial(_can_express, self._targets[format]), filter(None, graphs)))
        return self._spelled[key]


def _can_express(target: pipeline.Target, graph: Graph) -> bool:
    try:
        pipeline.lower(graph, "0", target)
    except Unlowerable:
        return False
    return True


def _passes(
    session: CompilerSession, programs: Mapping[str, Mapping[str, Artifact]], inputs: Sequence[np.ndarray]
) -> frozenset[str]:
    """The passes that a compiler ran on only one of two programs; none where it does not run both."""
    sides = programs[session.compiler.format].values()
    outcomes = [session.worker().execute(artifact, [inputs], reference=False) for artifact in sides]
    if any(outcome.status != "ok" for outcome in outcomes):
        return frozenset()
    return passes_of(session.compiler.name, *(outcome.trace for outcome in outcomes))


def features_of(a: Graph, b: Graph, rules: Iterable[str]) -> frozenset[str]:
    """The features of two graphs and the rules between them, of which a suite should cover many.

    - ``operator Conv``
    - ``typed Conv float16``: an operator by the element types of its operands
    - ``edge Conv > Relu``
    - ``rule x``: a rule that fired in the pair's e-graph
    - ``turn Mul | Add``: an operator that only ``a`` has and one that only ``b`` has
    - ``pass x of C``: a pass that the traced compiler C ran on only one side (see :func:`passes_of`)
    """
    found = {f"rule {name}" for name in rules}
    for graph in (a, b):
        for node in graph.nodes:
            types = dict.fromkeys(graph.types[name].dtype for name in node.inputs if name)
            found.add(f"operator {node.qualified}")
            found.add(" ".join(["typed", node.qualified, *types]))
        found.update(f"edge {first} > {second}" for first, second in paths(graph)[0])
    found.update(f"turn {one} | {other}" for one in _only(a, b) or ["-"] for other in _only(b, a) or ["-"])
    return frozenset(found)


def passes_of(compiler: str, a: Sequence[str], b: Sequence[str]) -> frozenset[str]:
    """The passes in the trace of only one of two programs; the counts in traces are ignored."""
    met = [{name.partition("=")[0] for name in trace} for trace in (a, b)]
    return frozenset(f"pass {name} of {compiler}" for name in met[0] ^ met[1])


def _only(a: Graph, b: Graph) -> list[str]:
    return sorted({node.qualified for node in a.nodes} - {node.qualified for node in b.nodes})[:_FEW]


WEIGHTS: Mapping[str, float] = {"operator": 8, "rule": 4, "pass": 8, "turn": 2, "typed": 2, "edge": 1}
"""The gain from a feature that no case covers yet, by the first word of its name; each further time counts half."""

_WORK = ".building"
"""The folder in a suite that holds all cases while it is built."""

_TASK = 8
"""The number of cases that a process gets at a time."""


@dataclass(frozen=True, kw_only=True)
class Built:
    """A finished suite: why candidates made no case, the number of covered features by kind, and our own faults."""

    cases: int
    candidates: int
    refused: dict[str, int]
    covers: dict[str, int]
    unsound: tuple[str, ...]


def build(options: Options, out: Path, workers: int = 1, report: Callable[[str], None] = lambda text: None) -> Built:
    """Build a suite in a folder that does not exist or is empty; ``report`` is called with the progress.

    Raises SuiteError where the candidates do not suffice, RuleError, SolverMissing, EnvironmentProblem.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SuiteError(f"{out}: the folder is not empty; name a new one")
    work = out / _WORK
    work.mkdir(parents=True)
    features: dict[int, frozenset[str]] = {}
    refused: Counter[str] = Counter()
    unsound = []
    try:
        with closing(_made(options, work, workers)) as made:
            for number, one in enumerate(made):
                if isinstance(one, frozenset):
                    features[number] = frozenset(map(sys.intern, one))  # cases share most names
                else:
                    kind, _, details = one.partition(": ")
                    refused[kind] += 1
                    unsound += [details] if kind == UNSOUND else []
                report(f"{number + 1} of {options.candidates} candidates")
        taken, covered = choose(features, options.count)
        for place, number in enumerate(taken):
            (work / str(number)).rename(cases.folder_of(out, place))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if len(taken) < options.count:
        reasons = ", ".join(f"{n} {reason}" for reason, n in refused.most_common())
        shutil.rmtree(out, ignore_errors=True)
        raise SuiteError(
            f"only {len(taken)} of {counted(options.candidates, 'candidate')} make a case, and --count is "
            f"{options.count} ({reasons}): name fewer compilers, or other --formats or --nodes"
        )
    kinds = dict(sorted(Counter(name.partition(" ")[0] for name in covered).items()))
    cases.begin(out, {"options": options.described(), "covers": kinds})
    return Built(
        cases=len(taken),
        candidates=options.candidates,
        refused=dict(refused.most_common()),
        covers=kinds,
        unsound=tuple(unsound),
    )


def choose(features: Mapping[int, frozenset[str]], count: int) -> tuple[list[int], Counter[str]]:
    """The cases that cover most, best first, and how many of them have each feature; of equals, the first.

    Greedy maximum coverage. The gain of a case never grows as others are taken. So only the case at the top of the heap
    needs a new gain (lazy greedy, Minoux 1978).
    """
    covered: Counter[str] = Counter()

    def gain(number: int) -> float:
        return sum(WEIGHTS[name.partition(" ")[0]] * 0.5 ** covered[name] for name in sorted(features[number]))

    heap = [(-gain(number), number) for number in features]
    heapq.heapify(heap)
    taken: list[int] = []
    while heap and len(taken) < count:
        _, number = heapq.heappop(heap)
        now = (-gain(number), number)
        if heap and now > heap[0]:
            heapq.heappush(heap, now)
        else:
            taken.append(number)
            covered.update(features[number])
    return taken, covered


def _made(options: Options, folder: Path, workers: int) -> Generator[Made]:
    """Make all cases in that many processes (for one, in this process); yield what came of them, in order."""
    numbers = range(options.candidates)
    if workers == 1:
        with closing(Maker(options, folder)) as maker:
            yield from map(maker.case, numbers)
        return
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin)
    try:
        yield from pool.map(partial(_case, options, folder), numbers, chunksize=_TASK)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """The parent handles interrupts, and a process ends with it at the latest."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _case(options: Options, folder: Path, number: int) -> Made:
    try:
        return _maker(options, folder).case(number)
    except EnvironmentProblem as problem:  # the pool pickles errors, which subclasses do not survive
        raise EnvironmentProblem(str(problem)) from None


@cache
def _maker(options: Options, folder: Path) -> Maker:
    """The maker of this process."""
    maker = Maker(options, folder)
    Finalize(None, maker.close, exitpriority=1)
    return maker
