"""Generate seed graphs. All strategies share one way to grow a graph."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from polyjuice.generate.complex_programs import ComplexPrograms
from polyjuice.generate.default import Default
from polyjuice.generate.disruptive import Broken, disrupt
from polyjuice.generate.growth import ANY_INPUTS, Growth, InputTypes, random_source
from polyjuice.generate.guided import InCampaign, InSuite
from polyjuice.generate.published import nnsmith
from polyjuice.generate.published.gencog import GenCoG
from polyjuice.generate.published.hirgen import HirGen, Unguided
from polyjuice.generate.published.isra import PICKING_RATE, Isra
from polyjuice.generate.published.metrics import METRICS, TABLE_OPERATORS, Measured, Metric, Suite, measure
from polyjuice.generate.published.smt import SolverMissing, load_z3
from polyjuice.generate.small import Small
from polyjuice.generate.statements import Statements
from polyjuice.generate.suite_record import Draft, Memory, Turn
from polyjuice.ir import Graph
from polyjuice.ops import Accepts, Op

__all__ = [
    "DISRUPTED_STRATEGY",
    "DUE_STRATEGIES",
    "MEMORY_STRATEGIES",
    "METRICS",
    "PICKING_RATE",
    "SMALL_STRATEGIES",
    "STRATEGIES",
    "TABLE_OPERATORS",
    "TORCH_STRATEGIES",
    "Broken",
    "Draft",
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

STRATEGIES = (
    "default",
    "small",
    "statements",
    "isra",
    "nnsmith",
    "nnsmith-unbinned",
    "gencog",
    "hirgen",
    "hirgen-unguided",
)

TORCH_STRATEGIES = ("complex",)
"""The strategy for programs that only Torch can express. Now and then a small program is one of these."""

_SMALL: Mapping[str, type[Small]] = {"small": Small, "statements": Statements, "complex": ComplexPrograms}

SMALL_STRATEGIES = tuple(name for name in _SMALL if name in STRATEGIES)
"""The strategies that make small programs, whatever number of operators the caller asks for."""

_PUBLISHED: Mapping[str, type[Growth]] = {"gencog": GenCoG, "hirgen": HirGen, "hirgen-unguided": Unguided}

_NNSMITH = ("nnsmith", "nnsmith-unbinned")

DUE_STRATEGIES = ("default", *_SMALL)
"""The strategies that need a graph's turn in its campaign (see :class:`polyjuice.generate.Turn`)."""

MEMORY_STRATEGIES = ("gencog", "hirgen")
"""The strategies that need what the graphs before hold (see :class:`polyjuice.generate.Memory`)."""

_COMPLEX = 0.02
"""How often a small program uses complex numbers, if the caller names operators of complex numbers."""

DISRUPTED_STRATEGY = "hirgen"
"""The strategy whose graphs may be disrupted."""


def check_installed(strategy: str) -> None:
    """Raise SolverMissing, with one line that says what to install, if the strategy needs a solver that is missing."""
    if strategy in _NNSMITH:
        load_z3()


def generate(
    nodes: int,
    seed: int | str,
    accepts: Accepts | None = None,
    partners: Mapping[str, Sequence[str]] | None = None,
    strategy: str = "default",
    memory: Memory | None = None,
    operators: Sequence[Op] | None = None,
    inputs: InputTypes = ANY_INPUTS,
    picking_rate: float = PICKING_RATE,
) -> Graph:
    """Return a graph of ``nodes`` operators, or fewer if no further operator fits. The arguments alone determine it.

    The graph holds only ``operators`` that ``accepts`` allows. The default is all of the table except operators of
    complex numbers. ``partners`` maps an operator to those that should often follow it, because rewrite rules look for
    the pair; both are qualified names. The published strategies ignore ``partners``. ``memory`` holds what the suite
    has so far. Some strategies choose by it, and they add the new graph to it. ``inputs`` restricts new inputs; for
    nnsmith, where the solver chooses them, ``accepts`` does that. ``picking_rate`` says how often an operand of isra is
    an existing value, if one fits. Raises ValueError for an unknown strategy, and SolverMissing (see
    :func:`check_installed`).
    """
    if strategy not in (*STRATEGIES, *TORCH_STRATEGIES):
        raise ValueError(f"no strategy is called {strategy!r}: choose from {', '.join(STRATEGIES)}")
    if strategy in _NNSMITH:
        return nnsmith.generate(nodes, seed, accepts, operators, binned=strategy == "nnsmith")
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
    if strategy == "isra":
        return Isra(rng, accepts, operators, memory, inputs, picking_rate=picking_rate).graph(nodes)
    return _PUBLISHED[strategy](rng, accepts, operators, memory, inputs).graph(nodes)
