"""Seed graphs, by strategies that share one way to grow a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyjuice.generate import default, gencog, hirgen, isra
from polyjuice.generate.memory import Memory
from polyjuice.generate.metrics import METRICS, TABLE_OPERATORS, Measured, Metric, Suite, measure
from polyjuice.ir import Graph
from polyjuice.ops import Accepts

__all__ = ["METRICS", "STRATEGIES", "TABLE_OPERATORS", "Measured", "Memory", "Metric", "Suite", "generate", "measure"]

STRATEGIES = ("default", "isra", "gencog", "hirgen")


def generate(
    nodes: int,
    seed: int | str,
    accepts: Accepts | None = None,
    partners: Mapping[str, Sequence[str]] | None = None,
    strategy: str = "default",
    memory: Memory | None = None,
) -> Graph:
    """A graph of ``nodes`` operators (fewer only where no operator fits any more), from these arguments alone.

    Only applications that ``accepts`` allows occur. ``partners`` are operators that are often to follow one, both by
    their qualified names: those that rewrite rules look for next to each other; the published strategies have no use
    for them. ``memory`` is what the suite holds so far, and takes in the graph, for strategies that are directed by
    that.
    """
    match strategy:
        case "default":
            return default.generate(nodes, seed, accepts, partners)
        case "isra":
            return isra.generate(nodes, seed, accepts)
        case "gencog":
            return gencog.generate(nodes, seed, accepts, memory)
        case "hirgen":
            return hirgen.generate(nodes, seed, accepts, memory)
    raise ValueError(f"no strategy is called {strategy!r}: choose from {', '.join(STRATEGIES)}")
