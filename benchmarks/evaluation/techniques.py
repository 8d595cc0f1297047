"""The techniques that the evaluation compares: ways to make programs from seed graphs, and to judge them.

All have the same seed graphs, of the strategy ``default``, but for the published tools with generators of their own.
Those with variants are judged by comparing these, and by crashes; those without by comparing optimized and
unoptimized results, and by crashes. All lower programs in the same way.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.mutants.detection import DIFFERENTIAL, EQUIVALENCE
from polyjuice import pipeline
from polyjuice.campaign import kinds
from polyjuice.campaign.kinds import LARGE, MIXED, SMALL, TARGETS, Kind
from polyjuice.campaign.preparation import Preparation, Seed
from polyjuice.egraph import Budget, Rewriter, Rewriting, Rule, Saturated, Variant, distinct
from polyjuice.egraph.encode import Encoding
from polyjuice.egraph.view import EGraphView
from polyjuice.execution import LoweringChoices
from polyjuice.frameworks.user_model import SEED_GRAPH
from polyjuice.inputs.descent import Found
from polyjuice.ir import Graph, GraphError, TensorType, dtypes, prune
from polyjuice.ops import Accepts, GraphBuilder, is_accepted
from polyjuice.oracles import InputSet, Program

_STEPS = 5
"""The steps of random rewriting: with these its graphs are about as large as the largest extracted ones."""

_PLACES = 3
"""The values of a graph that get dead code."""

_DEAD = ("Add", "Mul", "Max", "Sub")
"""The operators of dead code."""


class _Pairing(Rewriter, ABC):
    """Its variants are the seed graph, and a graph that is made of it in another way than by extraction."""

    def extract(
        self,
        saturated: Saturated,
        index: int,
        seed: int | str,
        strategy: str = "minmax",
        count: int = 2,
        accepts: Accepts | None = None,
    ) -> Rewriting:
        """Return the seed graph and the other one; the seed graph alone where they are equal."""
        original = saturated.graphs[index]
        made = self._made(saturated, index, str(seed), accepts)
        return Rewriting(
            seed=original,
            variants=distinct([Variant("min", original), Variant("max", made)]),
            enodes=0,
            eclasses=0,
            iterations=0,
            stopped_by="iterations",
            rules=saturated.rules,
        )

    @abstractmethod
    def _made(self, saturated: Saturated, index: int, seed: str, accepts: Accepts | None) -> Graph:
        """Return the other graph."""


class RandomRewriting(_Pairing):
    """Random rewriting: each step rewrites places of a graph at random, and forgets the graph before.

    egglog matches the rules on the graph as it is after each step, in an e-graph that is then thrown away. So no step
    sees two forms of a value. The variants are the seed graph and the graph after the last step.
    """

    def __init__(self, rules: Sequence[Rule], *how: Any, **more: Any) -> None:
        """A campaign's budget and patterns are not used."""
        super().__init__(rules, Budget(iterations=1))

    def saturate(self, graphs: Sequence[Graph], seed: int | str, *how: Any, **more: Any) -> Saturated:
        """Take all steps but the last draw. Raises GraphError where a rule failed."""
        first = now = super().saturate(graphs, f"{seed} 0", *how, **more)
        for step in range(1, _STEPS):
            drawn = [self._drawn(first.graphs[i], now, i, f"{seed} {step}") for i in range(len(graphs))]
            now = super().saturate(drawn, f"{seed} {step}", *how, **more)
        return _Rewritten(**vars(first) | {"rules": now.rules}, last=now)

    def _made(self, saturated: Saturated, index: int, seed: str, accepts: Accepts | None) -> Graph:
        assert isinstance(saturated, _Rewritten)
        return self._drawn(saturated.graphs[index], saturated.last, index, seed, accepts)

    def _drawn(self, original: Graph, now: Saturated, index: int, seed: str, accepts: Accepts | None = None) -> Graph:
        """Draw a graph from those that one step reaches; the graph before the step, if it grew too large."""
        (variant,) = Rewriter.extract(self, now, index, seed, "random", 1, accepts).variants
        fits = variant.operators <= Budget().operators(len(original.nodes))
        return variant.graph if fits else now.graphs[index]


@dataclass(frozen=True, kw_only=True)
class _Rewritten(Saturated):
    """The e-graph of the first step, with the rules that fired in the last one, and that of the last step."""

    last: Saturated


class DeadCode(_Pairing):
    """Dead code behind conditions that never hold (MT-DLComp; PolyJuice, section 6.2).

    Some values v become Where(abs(u) < 0, code, v), where u and the code come from values that are there already.
    """

    def saturate(self, graphs: Sequence[Graph], seed: int | str, *how: Any, **more: Any) -> Saturated:
        """Return the graphs alone."""
        return _Graphs(drawn=tuple(map(prune, graphs)))

    def _made(self, saturated: Saturated, index: int, seed: str, accepts: Accepts | None) -> Graph:
        original = saturated.graphs[index]
        made = with_dead_code(original, random.Random(f"dead code {seed}"))
        return made if is_accepted(made, accepts) else original


@dataclass(frozen=True, kw_only=True)
class _Graphs(Saturated):
    """Graphs without an e-graph."""

    drawn: tuple[Graph, ...]
    encodings: tuple[Encoding, ...] = ()
    view: EGraphView = field(default_factory=lambda: EGraphView((), {}))
    iterations: int = 0
    stopped_by: str = "iterations"
    rules: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs."""
        return self.drawn


def with_dead_code(graph: Graph, rng: random.Random) -> Graph:
    """Return the graph with dead code in front of some of its nodes."""
    builder = GraphBuilder(graph.opsets)
    names: dict[str, str] = {"": ""}
    for name in graph.inputs:
        names[name] = builder.input(graph.types[name], name)
    for name, array in graph.constants.items():
        names[name] = builder.constant(array)
    chosen = {*rng.sample(range(len(graph.nodes)), min(_PLACES, len(graph.nodes)))}
    for place, node in enumerate(graph.nodes):
        if place in chosen and node.inputs and node.inputs[0]:
            with suppress(GraphError):
                names[node.inputs[0]] = _guarded(builder, names[node.inputs[0]], rng)
        operands = [names[name] for name in node.inputs]
        made = builder.apply(node.op, node.domain, operands, node.attrs, [graph.types[o] for o in node.outputs if o])
        names.update(zip((o for o in node.outputs if o), made, strict=True))
    return builder.build([names[name] for name in graph.outputs])


def _guarded(builder: GraphBuilder, value: str, rng: random.Random) -> str:
    """Return a value that is always equal to another. Raises GraphError."""
    t = builder.types[value]
    if not (dtypes.is_float(t.dtype) or dtypes.is_int(t.dtype)) or t.dtype.startswith("uint"):
        raise GraphError("dead code has no values of this type")
    alike = [name for name, other in builder.types.items() if other == t]
    code = builder.op(rng.choice(_DEAD), rng.choice(alike), value)
    floating = [name for name, other in builder.types.items() if other == TensorType("float32", t.shape)]
    watched = rng.choice(floating) if floating else builder.op("Cast", value, to="float32")
    zero = builder.constant(np.float32(0))
    return builder.op("Where", builder.op("Less", builder.op("Abs", watched), zero), code, value)


class PlainPreparation(Preparation):
    """Lowers each graph in the plainest way."""

    def _program(self, seed: Seed, variant: Variant, sets: Sequence[InputSet]) -> Program:
        artifact = pipeline.lower(variant.graph, LoweringChoices(), self.target)
        return pipeline.prepare(variant.label, variant.graph, artifact, sets)


@dataclass(frozen=True, kw_only=True)
class Technique:
    """The options of a technique's campaigns, its rules, and what replaces parts of Polyjuice, by their full names.

    ``saturates`` tells equality saturation.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    rules: Callable[[Rule], bool] = lambda rule: True
    patches: Mapping[str, Any] = field(default_factory=dict)
    saturates: bool = True

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Replace the parts in this process, inside the block."""
        with ExitStack() as stack:
            for name, part in self.patches.items():
                stack.enter_context(patch(name, part))
            yield


_REWRITER, _PREPARATION = "polyjuice.campaign.preparation.Rewriter", "polyjuice.campaign.runner.Preparation"
_CYCLES = "polyjuice.campaign.kinds._CYCLES"


def _pairs(strategy: str = "minmax", *oracles: str, **options: Any) -> Technique:
    return Technique(options={"seeds": (LARGE,), "extract": strategy, "oracles": (*EQUIVALENCE, *oracles), **options})


def _alone(seeds: str = LARGE) -> Technique:
    options = {"seeds": (seeds,), "extract": SEED_GRAPH, "oracles": DIFFERENTIAL}
    return Technique(options=options, saturates=False)


def _campaign(*cycle: Kind) -> Technique:
    """A campaign with the default options; other kinds of cases take turns, if there are any."""
    patches = {_CYCLES: {**kinds._CYCLES, MIXED: cycle}} if cycle else {}
    return Technique(options={"seeds": (MIXED,), "extract": "targets"}, patches=patches)


def as_drawn(graph: Graph, start: Sequence[np.ndarray], integers: bool = False) -> Found:
    """Return inputs as they were drawn, in place of a search."""
    return Found(dict(zip(graph.inputs, start, strict=True)), 0, False)


NNSMITH: Mapping[str, Technique] = {
    "nnsmith": _alone("nnsmith"),
    "without binning": _alone("nnsmith-unbinned"),
    "without the search": replace(
        _alone("nnsmith"),
        patches={
            "polyjuice.campaign.seeds.settle": lambda graph, key: graph,
            "polyjuice.inputs.profiles.find": as_drawn,
        },
    ),
}
"""The strategy nnsmith, and single parts of it left out (see ``benchmarks/nnsmith.py``)."""

_SMALL, _TARGET, _LARGE = Kind(SMALL, alone=True), Kind(TARGETS, alone=True), Kind(LARGE, alone=True)
_HALF = (_TARGET, Kind(TARGETS), _SMALL, Kind(SMALL), _TARGET, Kind(LARGE))

TECHNIQUES: Mapping[str, Technique] = {
    "differential": _alone(),
    "minmax": _pairs(),
    "difference": _pairs("difference"),
    "random extraction": _pairs("random"),
    "random rewriting": replace(_pairs(), patches={_REWRITER: RandomRewriting}, saturates=False),
    "dead code": replace(_pairs(), patches={_REWRITER: DeadCode}, saturates=False),
    "NNSmith": _alone("nnsmith"),
    "HirGen": _alone("hirgen"),
    "minmax and differential": _pairs("minmax", "differential"),
    "difference and differential": _pairs("difference", "differential"),
    "campaign": _campaign(),
    "campaign with more pairs": _campaign(*_HALF),
}
"""By name. ``campaign`` is what `polyjuice fuzz` does by default; half of its cases may be pairs instead."""

GENERATORS: Mapping[str, Technique] = {
    **{name: _alone(name) for name in ("default", "isra", "nnsmith", "gencog", "hirgen")},
    "campaign": _campaign(),
}
"""The strategies that generate seed graphs, each tested alone and without variants, and the default campaign."""

_STRUCTURAL = {
    "casts", "concat", "convolution", "moves", "pooling", "reshape", "round_trips", "selection", "slicing",
    "transpose", "unfolding",
}  # fmt: skip
"""The files of rules that move, cut and join values."""

ABLATIONS: Mapping[str, Technique] = {
    "minmax": _pairs(),
    "structural rules alone": replace(_pairs(), rules=lambda rule: Path(rule.file).stem in _STRUCTURAL),
    "arithmetic rules alone": replace(_pairs(), rules=lambda rule: Path(rule.file).stem not in _STRUCTURAL),
    "no rules over the reals": replace(_pairs(), rules=lambda rule: rule.ruleset != "real"),
    "1 iteration": _pairs(iterations=1),
    "6 iterations and 1600 e-nodes": _pairs(iterations=6, enodes=1600),
    "100 rules a graph": _pairs(rules_per_graph=100),
    "all rules": _pairs(rules_per_graph=0),
    "4 variants": _pairs(variants=4),
    "8 variants": _pairs(variants=8),
    "targets in pairs": _pairs("targets"),
    "plain forms": replace(_pairs(), patches={_PREPARATION: PlainPreparation}),
    "normal values alone": _pairs(profiles=("normal",)),
    "5 operators": _pairs(nodes=5),
    "40 operators": _pairs(nodes=40),
    "small programs": _pairs(seeds=(SMALL,)),
    "campaign": _campaign(),
    "campaign with pairs in half of the cases": _campaign(*_HALF),
    "campaign without targets": _campaign(_SMALL, _LARGE, _SMALL, Kind(SMALL), _SMALL, Kind(LARGE)),
    "campaign of targets": _campaign(_TARGET),
    "campaign of targets in pairs": _campaign(Kind(TARGETS)),
    "campaign of small programs": _campaign(_SMALL),
    "campaign of small programs in pairs": _campaign(Kind(SMALL)),
    "campaign of larger graphs": _campaign(_LARGE),
    "campaign of larger graphs in pairs": _campaign(Kind(LARGE)),
}
"""One change each to pairs by ``minmax``, or to the default campaign, by name."""
