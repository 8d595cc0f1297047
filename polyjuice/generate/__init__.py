"""Seed graphs, by strategies that share one way to grow a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from polyjuice.generate import default, isra
from polyjuice.generate.metrics import METRICS, TABLE_OPERATORS, Measured, Metric, Suite, measure
from polyjuice.ir import Graph
from polyjuice.ops import Accepts

__all__ = ["METRICS", "STRATEGIES", "TABLE_OPERATORS", "Measured", "Metric", "Suite", "generate", "measure"]

STRATEGIES: Mapping[str, Callable[..., Graph]] = {"default": default.generate, "isra": isra.generate}


def generate(
    nodes: int,
    seed: int | str,
    accepts: Accepts | None = None,
    partners: Mapping[str, Sequence[str]] | None = None,
    strategy: str = "default",
) -> Graph:
    """A graph of ``nodes`` operators (fewer only where no operator fits any more), from these arguments alone.

    Only applications that ``accepts`` allows occur. ``partners`` are operators that are often to follow one, both by
    their qualified names: those that rewrite rules look for next to each other. The published strategies leave them
    aside.
    """
    return STRATEGIES[strategy](nodes, seed, accepts, partners)
