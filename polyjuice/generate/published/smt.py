"""Questions to Z3: linear constraints between integers, sent incrementally as SMT-LIB 2.

They are texts, because building the terms through Z3's Python interface takes several times as long as solving them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyjuice.plugins import installable

RLIMIT = 200_000
"""The limit of Z3's own steps for one question; a usual one takes a hundredth. Steps, unlike time, are reproducible."""

_VALUE = re.compile(r"\(x(\d+) (?:(\d+)|\(- (\d+)\))\)")

Form = tuple[str, Sequence[tuple[int, int]], int]
"""A relation to zero, unknowns with their coefficients, and a constant."""


class SolverMissing(RuntimeError):
    """The solver is not installed; one line that says what to install."""


def load_z3() -> Any:
    """Return the module z3. Raises SolverMissing."""
    try:
        import z3
    except ModuleNotFoundError as missing:
        if missing.name != "z3":
            raise
        raise SolverMissing(installable("the strategy nnsmith needs z3: pip install 'polyjuice-fuzzer[smt]'")) from None
    return z3


@dataclass(frozen=True)
class _Level:
    """The state of one of Z3's levels: how many constraints and narrowed bounds it has, and the unknowns in them."""

    constraints: int = 0
    narrowed: int = 0
    declared: frozenset[int] = frozenset()


class Solver:
    """A solver that receives only the new constraints with each question. ``questions`` counts the questions."""

    def __init__(self, z3: Any, seed: int) -> None:
        self.questions = 0
        self._z3 = z3
        # A context of its own, because Z3's numbering of terms and its answers depend on what came before.
        self._context = z3.Context()
        self._levels = [_Level()]
        self._unsent = f"(set-option :smt.random_seed {seed})(set-option :rlimit {RLIMIT})"

    def solve(
        self,
        constraints: Sequence[Form],
        narrowed: Sequence[int],
        bounds: Sequence[tuple[int, int]],
        bins: Mapping[int, tuple[int, int]],
    ) -> dict[int, int] | None:
        """Return values of the unknowns in the constraints, within their bounds, and within ``bins`` this time only.

        ``narrowed`` lists unknowns whose bounds have changed. ``constraints`` and ``narrowed`` begin with the items
        that earlier questions sent, unless :meth:`rollback` has cut them off. None if there are no such values, or Z3
        finds none.
        """
        self._tell(constraints, narrowed, bounds)
        declared = self._levels[-1].declared
        self._unsent += "(push)" + _declared(bins.keys() - declared, bounds) + _within(bins)
        self.questions += 1
        values = None
        if self._ask("(check-sat)").split() == ["sat"]:
            names = " ".join(f"x{x}" for x in sorted(declared | bins.keys()))
            found = _VALUE.findall(self._ask(f"(get-value ({names}))"))
            values = {int(x): int(positive) if positive else -int(negative) for x, positive, negative in found}
        self._unsent += "(pop)"
        return values

    def rollback(self, constraints: int, narrowed: int) -> None:
        """Keep only the first ``constraints`` constraints and the first ``narrowed`` narrowed bounds."""
        while self._levels[-1].constraints > constraints or self._levels[-1].narrowed > narrowed:
            self._levels.pop()
            self._unsent += "(pop)"

    def _tell(self, constraints: Sequence[Form], narrowed: Sequence[int], bounds: Sequence[tuple[int, int]]) -> None:
        last = self._levels[-1]
        new = constraints[last.constraints :]
        mentioned = {x for _, terms, _ in new for x, _ in terms} - last.declared
        moved = last.declared.intersection(narrowed[last.narrowed :])
        if new or moved:
            texts = "".join(f"(assert ({relation} {_sum(terms, constant)} 0))" for relation, terms, constant in new)
            self._unsent += "(push)" + _declared(mentioned, bounds) + _within({x: bounds[x] for x in moved}) + texts
            self._levels.append(_Level(len(constraints), len(narrowed), last.declared | mentioned))

    def _ask(self, question: str) -> str:
        text, self._unsent = self._unsent + question, ""
        return str(self._z3.Z3_eval_smtlib2_string(self._context.ref(), text))


def _declared(unknowns: Iterable[int], bounds: Sequence[tuple[int, int]]) -> str:
    names = sorted(unknowns)
    return "".join(f"(declare-const x{x} Int)" for x in names) + _within({x: bounds[x] for x in names})


def _within(bounds: Mapping[int, tuple[int, int]]) -> str:
    return "".join(f"(assert (<= {_number(low)} x{x} {_number(high)}))" for x, (low, high) in sorted(bounds.items()))


def _sum(terms: Sequence[tuple[int, int]], constant: int) -> str:
    return f"(+ {' '.join(f'(* {_number(c)} x{x})' for x, c in terms)} {_number(constant)})"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
