"""The strategy "targets": what the compiler's parts look for, as it stands or with a few small changes.

Each target takes its turn once in a cycle. In one cycle its program is the pattern itself, in the next ones a near miss
of one to three changes (``_FORMS``). Now and then a program has a target of another compiler: parts of compilers
resemble each other, and so do their faults.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from polyjuice.egraph.pattern_instances import NoInstance
from polyjuice.generate.due import order
from polyjuice.generate.suite_record import Turn
from polyjuice.ir import Graph
from polyjuice.ops import Accepts, Op, is_accepted
from polyjuice.targets import Target
from polyjuice.targets.blocks import block
from polyjuice.targets.near import near_miss

_FORMS = (0, 1, 2, 1, 3)
"""How many changes the programs of a target have, one after the other."""

_OTHERS = 0.1
"""How often a program has a target of any compiler."""

_LEAST_ACTED = 0.4
"""How often the turn goes to a part that has acted seldom, whatever the cycle says."""

_TRIES = 6
"""How many draws of a target the compiler may refuse before another target has the turn."""

_OTHER_TARGETS = 12
"""How many targets have the turn before the case is given up."""


@dataclass(frozen=True, kw_only=True)
class Aimed:
    """A program for a part of a compiler: its graph, the part, and the kinds of changes to the part's pattern."""

    graph: Graph
    part: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Aims:
    """The targets of a campaign: the compiler's ``own``, and those of ``every`` compiler."""

    own: Sequence[Target] = ()
    every: Sequence[Target] = ()

    @classmethod
    def within(cls, operators: Iterable[Op], own: Iterable[Target], every: Iterable[Target]) -> Aims:
        """The targets that need no other operators than these."""
        names = {op.qualified for op in operators}
        return cls(*(tuple(target for target in found if target.operators <= names) for found in (own, every)))

    def program(
        self,
        turn: Turn,
        key: str,
        accepts: Accepts | None = None,
        operators: Collection[Op] | None = None,
        acted: Mapping[str, int] = MappingProxyType({}),
    ) -> Aimed | None:
        """The program of a case; None if the compiler refuses all that was drawn. The arguments alone determine it.

        ``acted`` counts how often each part acted in earlier rounds: those that acted least are due more often.
        """
        rng = random.Random(f"targets {key}")
        allowed = None if operators is None else {op.qualified for op in operators}
        target, changes = self._due(turn, rng, acted)
        for _ in range(_OTHER_TARGETS):
            for left in reversed(range(_TRIES)):
                try:
                    graph, kinds = near_miss(block(target, rng), rng, changes if left else 0)
                except NoInstance:
                    break
                if _is_taken(graph, accepts, allowed):
                    return Aimed(graph=graph, part=target.part, changes=kinds)
            target = rng.choice(self.own or self.every)
        return None

    def _due(self, turn: Turn, rng: random.Random, acted: Mapping[str, int]) -> tuple[Target, int]:
        """The target whose turn it is, and how many changes its program has."""
        own = self.own or self.every
        if acted and rng.random() < _LEAST_ACTED:
            weights = [1 / (1 + acted.get(target.part, 0)) for target in own]
            return rng.choices(own, weights)[0], rng.choice(_FORMS)
        cycle, place = divmod(turn.index, len(own))
        number = order(len(own), f"targets {turn.seed} {cycle}")[place]
        if self.own and self.every and rng.random() < _OTHERS:
            return rng.choice(self.every), rng.choice(_FORMS)
        return own[number], _FORMS[(cycle + number) % len(_FORMS)]


def _is_taken(graph: Graph, accepts: Accepts | None, allowed: Collection[str] | None) -> bool:
    named = allowed is None or all(node.qualified in allowed for node in graph.nodes)
    return named and is_accepted(graph, accepts)
