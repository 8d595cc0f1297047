"""Shell completion of names: compilers, strategies, oracles, operators and so on."""

from __future__ import annotations

from collections.abc import Iterable

from polyjuice import compilers as found
from polyjuice import egraph
from polyjuice import oracles as found_oracles
from polyjuice.campaign.schedule import GENERATING
from polyjuice.generate import STRATEGIES
from polyjuice.inputs import PROFILES
from polyjuice.ops import TABLE


def compilers(incomplete: str) -> list[str]:
    """The compilers, installed or not."""
    return _matching(found.names(), incomplete)


def sources(incomplete: str) -> list[str]:
    """The strategies of ``fuzz --seeds``; the shell itself completes model files."""
    return _matching(GENERATING, incomplete)


def strategies(incomplete: str) -> list[str]:
    """The strategies of ``generate --strategy``."""
    return _matching(STRATEGIES, incomplete)


def operators(incomplete: str) -> list[str]:
    """The operators of the table."""
    return _matching((op.qualified for op in TABLE.values()), incomplete)


def rules(incomplete: str) -> list[str]:
    """The rules that come with Polyjuice."""
    return _matching((rule.name for rule in egraph.load(())), incomplete)


def oracles(incomplete: str) -> list[str]:
    """The oracles, also after a list with a comma."""
    return _listed(found_oracles.names(), incomplete)


def profiles(incomplete: str) -> list[str]:
    """The input profiles, also after a list with a comma."""
    return _listed(PROFILES, incomplete)


def _matching(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _listed(names: Iterable[str], incomplete: str) -> list[str]:
    """The list so far, completed by each matching name that is not in it."""
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _matching(names, begun) if name not in before.split(",")]
