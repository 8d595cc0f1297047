"""The techniques that the evaluation compares: ways to make programs from seed graphs, and to judge them.

All have the same seed graphs, of the strategy ``default``, but for the published tools with generators of their own.
Those with variants are judged by comparing these, and by crashes; those without by comparing optimized and
unoptimized results, and by crashes. All lower programs in the same way.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

from polyjuice.campaign import preparation
from polyjuice.egraph import Budget, Rewriter, Rewriting, Rule, Saturated, Variant
from polyjuice.egraph.patterns import Pattern
from polyjuice.frameworks.user_model import SEED_GRAPH
from polyjuice.ir import Graph, GraphError, TensorType, digest, dtypes, prune
from polyjuice.ops import Accepts, GraphBuilder, is_accepted

METAMORPHIC = ("metamorphic", "crash")
DIFFERENTIAL = ("differential", "crash")

_STEPS = 5
"""The steps of random rewriting: with these its graphs are about as large as the largest extracted ones."""

_PLACES = 3
"""The values of a graph that get dead code."""

_DEAD = ("Add", "Mul", "Max", "Sub")
"""The operators of dead code."""


class RandomRewriting(Rewriter):
    """Random rewriting: each step rewrites places of a graph at random, and forgets the graph before.

    egglog matches the rules on the graph as it is after each step, in an e-graph that is then thrown away. So no step
    sees two forms of a value. The variants are the seed graph and the graph after the last step.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        budget: Budget | None = None,
        known: Collection[str] = (),
        patterns: Sequence[Pattern] = (),
    ) -> None:
        """Patterns are not used, nor is the budget."""
        super().__init__(rules, Budget(iterations=1), known)

    def saturate(self, graphs: Sequence[Graph], seed: int | str, *how: Any, **more: Any) -> Saturated:
        """Take all steps but the last draw. Raises GraphError where a rule failed."""
        first = now = super().saturate(graphs, f"{seed} 0", *how, **more)
        for step in range(1, _STEPS):
            drawn = [self._drawn(first.graphs[i], now, i, f"{seed} {step}") for i in range(len(graphs))]
            now = super().saturate(drawn, f"{seed} {step}", *how, **more)
        return _Rewritten(**vars(first), last=now)

    def extract(
        self,
        saturated: Saturated,
        index: int,
        seed: int | str,
        strategy: str = "minmax",
        count: int = 2,
        accepts: Accepts | None = None,
    ) -> Rewriting:
        """Return the seed graph and the rewritten one."""
        assert isinstance(saturated, _Rewritten)
        original = saturated.graphs[index]
        drawn = self._drawn(original, saturated.last, index, str(seed), accepts)
        return _rewriting(original, drawn, saturated.last.rules)

    def _drawn(self, original: Graph, now: Saturated, index: int, seed: str, accepts: Accepts | None = None) -> Graph:
        """Draw a graph from those that one step reaches; the graph before the step, if it grew too large."""
        (variant,) = super().extract(now, index, seed, "random", 1, accepts).variants
        fits = variant.operators <= Budget().operators(len(original.nodes))
        return variant.graph if fits else now.graphs[index]


@dataclass(frozen=True, kw_only=True)
class _Rewritten(Saturated):
    """The e-graphs of the first and of the last step."""

    last: Saturated


class DeadCode(Rewriter):
    """Dead code behind conditions that never hold (MT-DLComp; PolyJuice, section 6.2).

    Some values v become Where(abs(u) < 0, code, v), where u and the code come from values that are there already.
    """

    def saturate(self, graphs: Sequence[Graph], seed: int | str, *how: Any, **more: Any) -> Saturated:
        """Return the graphs alone."""
        return _Graphs(tuple(map(prune, graphs)))  # type: ignore[return-value]  # only its graphs are read

    def extract(
        self,
        saturated: Saturated,
        index: int,
        seed: int | str,
        strategy: str = "minmax",
        count: int = 2,
        accepts: Accepts | None = None,
    ) -> Rewriting:
        """Return the seed graph, and the graph with dead code."""
        original = saturated.graphs[index]
        graph = with_dead_code(original, random.Random(f"dead code {seed}"))
        return _rewriting(original, graph if is_accepted(graph, accepts) else original, {})


@dataclass(frozen=True)
class _Graphs:
    graphs: tuple[Graph, ...]


def with_dead_code(graph: Graph, rng: random.Random) -> Graph:
    """Return the graph with dead code in front of some of its nodes."""
    builder = GraphBuilder(graph.opsets)
    names: dict[str, str] = {"": ""}
    for name in graph.inputs:
        names[name] = builder.input(graph.types[name], name)
    for name, array in graph.constants.items():
        names[name] = builder.constant(array, name)
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


def _rewriting(seed: Graph, made: Graph, rules: Mapping[str, int]) -> Rewriting:
    variants = (Variant("min", seed), Variant("max", made))
    return Rewriting(
        seed=seed,
        variants=variants if digest(seed) != digest(made) else variants[:1],
        enodes=0,
        eclasses=0,
        iterations=0,
        stopped_by="iterations",
        rules=dict(rules),
    )


@dataclass(frozen=True)
class Technique:
    """The options of a technique's campaigns, and what makes its variants. ``saturates`` tells equality saturation."""

    options: Mapping[str, Any]
    rewriter: type[Rewriter] = Rewriter
    saturates: bool = field(default=False, kw_only=True)


def _pairs(strategy: str, *oracles: str) -> Technique:
    return Technique({"extract": strategy, "oracles": (*METAMORPHIC, *oracles)}, saturates=True)


def _alone(seeds: str = "default") -> Technique:
    return Technique({"extract": SEED_GRAPH, "oracles": DIFFERENTIAL, "seeds": (seeds,)})


TECHNIQUES: Mapping[str, Technique] = {
    "differential": _alone(),
    "minmax": _pairs("minmax"),
    "difference": _pairs("difference"),
    "random extraction": _pairs("random"),
    "random rewriting": Technique({"oracles": METAMORPHIC}, RandomRewriting),
    "dead code": Technique({"oracles": METAMORPHIC}, DeadCode),
    "NNSmith": _alone("nnsmith"),
    "HirGen": _alone("hirgen"),
    "minmax and differential": _pairs("minmax", "differential"),
    "campaign": Technique({"seeds": ("mixed",)}, saturates=True),
}
"""By name. ``campaign`` is what `polyjuice fuzz` does by default."""


def options_of(technique: str) -> Mapping[str, Any]:
    """Return the options of a technique's campaigns, by the names of a configuration's fields."""
    return {"seeds": ("default",), **TECHNIQUES[technique].options}


@contextmanager
def rewriting(technique: str) -> Iterator[None]:
    """Inside the block, campaigns of this process make variants as the technique does."""
    with patch.object(preparation, "Rewriter", TECHNIQUES[technique].rewriter):
        yield
