"""Seed graphs, by strategies that share one way to grow a graph."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from polyjuice.generate import nnsmith
from polyjuice.generate.complex_programs import ComplexPrograms
from polyjuice.generate.default import Default
from polyjuice.generate.disruptive import Broken, disrupt
from polyjuice.generate.gencog import GenCoG
from polyjuice.generate.growth import ANY_INPUTS, Growth, InputTypes, random_source
from polyjuice.generate.guided import InCampaign, InSuite
from polyjuice.generate.hirgen import HirGen
from polyjuice.generate.isra import Isra
from polyjuice.generate.memory import Memory, Turn
from polyjuice.generate.metrics import METRICS, TABLE_OPERATORS, Measured, Metric, Suite, measure
from polyjuice.generate.small import Small
from polyjuice.generate.smt import SolverMissing
from polyjuice.generate.statements import Statements
from polyjuice.ir import Graph
from polyjuice.ops import Accepts, Op

__all__ = [
    "DISRUPTED_STRATEGY",
    "DUE_STRATEGIES",
    "METRICS",
    "SMALL_STRATEGIES",
    "STRATEGIES",
    "TABLE_OPERATORS",
    "TORCH_STRATEGIES",
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

STRATEGIES = ("default", "small", "statements", "isra", "nnsmith", "gencog", "hirgen")

TORCH_STRATEGIES = ("complex",)
"""The strategy of programs that only Torch says; now and then a small program is one of these."""

_SMALL: Mapping[str, type[Small]] = {"small": Small, "statements": Statements, "complex": ComplexPrograms}

SMALL_STRATEGIES = tuple(name for name in _SMALL if name in STRATEGIES)
"""The strategies of small programs, however many operators are asked for."""

_PUBLISHED: Mapping[str, type[Growth]] = {"isra": Isra, "gencog": GenCoG, "hirgen": HirGen}

DUE_STRATEGIES = ("default", *_SMALL)
"""The strategies that are told which turn a graph has in its campaign (see :class:`polyjuice.generate.Turn`)."""

_COMPLEX = 0.02
"""How often a small program is one of complex numbers, where their operators are named."""

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

    Only ``operators`` occur (all of the table but those of complex numbers, if none are named), as ``accepts`` allows
    them. ``partners`` are operators that are often to follow one, both by their qualified names: those that rewrite
    rules look for next to each other; the published strategies have no use for them. ``memory`` is what the suite holds
    so far, and takes in the graph, for strategies that are directed by that. ``inputs`` says what new inputs can be
    (not for nnsmith, where the solver chooses them: ``accepts`` bounds them there). Raises SolverMissing (see
    :func:`check_installed`).
    """
    if strategy not in (*STRATEGIES, *TORCH_STRATEGIES):
        raise ValueError(f"no strategy is called {strategy!r}: choose from {', '.join(STRATEGIES)}")
    if strategy == "nnsmith":
        return nnsmith.generate(nodes, seed, accepts, operators)
    if strategy in _SMALL:
        named = any(op.of_complex for op in operators or ())
        strategy = "complex" if named and random.Random(f"complex {seed}").random() < _COMPLEX else strategy
        turn = memory if isinstance(memory, Turn) else Turn(seed, 0)
        rng = random_source(f"{strategy} {seed}", inputs)
        return _SMALL[strategy](rng, accepts, operators, turn, inputs, partners).graph(nodes)
    if strategy == "default":
        kind = Default if memory is None else InCampaign if isinstance(memory, Turn) else InSuite
        rng = random_source(f"generate {seed}", inputs)
        return kind(rng, accepts, operators, memory, inputs, partners).graph(nodes)
    rng = random_source(f"{strategy} {seed}", inputs)
    return _PUBLISHED[strategy](rng, accepts, operators, memory, inputs).graph(nodes)
