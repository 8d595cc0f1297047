"""Seed graphs, by strategies that share one way to grow a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyjuice.generate import gencog, guided, hirgen, isra, nnsmith
from polyjuice.generate.disruptive import Broken, disrupt
from polyjuice.generate.growth import ANY_INPUTS, InputTypes
from polyjuice.generate.memory import Memory, Turn
from polyjuice.generate.metrics import METRICS, TABLE_OPERATORS, Measured, Metric, Suite, measure
from polyjuice.generate.smt import SolverMissing
from polyjuice.ir import Graph
from polyjuice.ops import Accepts, Op

__all__ = [
    "DISRUPTED_STRATEGY",
    "METRICS",
    "STRATEGIES",
    "TABLE_OPERATORS",
    "Broken",
    "InputTypes",
    "Measured",
    "Memory",
    "Metric",
    "SolverMissing",
    "Suite",
    "Turn",
    "check_installed",
    "disrupt",
    "generate",
    "measure",
]

STRATEGIES = ("default", "isra", "nnsmith", "gencog", "hirgen")

DISRUPTED_STRATEGY = "hirgen"
"""The strategy whose graphs may be disrupted."""


def check_installed(strategy: str) -> None:
    """Raise SolverMissing, one line that says what to install, where a strategy cannot do without the solver."""
    if strategy == "nnsmith":
        nnsmith.load_solver()


def generate(
    nodes: int,
    seed: int | str,
    accepts: Accepts | None = None,
    partners: Mapping[str, Sequence[str]] | None = None,
    strategy: str = "default",
    memory: Memory | None = None,
    operators: Sequence[Op] | None = None,
    inputs: InputTypes = ANY_INPUTS,
) -> Graph:
    """A graph of ``nodes`` operators (fewer only where no operator fits any more), from these arguments alone.

    Only ``operators`` occur (all of the table, if none are named), as ``accepts`` allows them. ``partners`` are
    operators that are often to follow one, both by their qualified names: those that rewrite rules look for next to
    each other; the published strategies have no use for them. ``memory`` is what the suite holds so far, and takes in
    the graph, for strategies that are directed by that. ``inputs`` says what new inputs can be (not for nnsmith, where
    the solver chooses them: ``accepts`` bounds them there). Raises SolverMissing (see :func:`check_installed`).
    """
    match strategy:
        case "default":
            return guided.generate(nodes, seed, accepts, operators, partners, memory, inputs)
        case "isra":
            return isra.generate(nodes, seed, accepts, operators, inputs)
        case "nnsmith":
            return nnsmith.generate(nodes, seed, accepts, operators)
        case "gencog":
            return gencog.generate(nodes, seed, accepts, operators, memory, inputs)
        case "hirgen":
            return hirgen.generate(nodes, seed, accepts, operators, memory, inputs)
    raise ValueError(f"no strategy is called {strategy!r}: choose from {', '.join(STRATEGIES)}")
