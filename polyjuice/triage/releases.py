"""Bisection by release: replay a finding in environments with different releases of its compiler."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from packaging.version import InvalidVersion, Version

from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution import probe
from polyjuice.timelimit import TimeLimit
from polyjuice.triage.stored import Replayed, ReplayStatus, Stored, replay

_ALL = 3
"""With more releases, a search looks for the change between the oldest and the newest."""

_DECIDED = (ReplayStatus.shows, ReplayStatus.fixed)
_NOT_TRIED = "not tried"


def by_release(
    finding: Stored, pythons: Sequence[Path], time_s: float, show: Callable[[Replayed], None]
) -> dict[str, str]:
    """Replay a finding in the releases that these interpreters have, for at most ``time_s`` seconds.

    Return its status (`ReplayStatus`, or "not tried") by release, from the oldest to the newest; call ``show`` with
    each result. With more than three releases, a binary search replays only those that tell where the fault came or
    went. Where the oldest and the newest agree, all are replayed.

    Raises EnvironmentProblem where an interpreter lacks the compiler, or two have the same release.
    """
    places: dict[str, Path] = {}
    for python in pythons:
        answer = probe(finding.compiler, python)
        if not answer["available"]:
            raise EnvironmentProblem(answer["reason"])
        if (release := answer["version"]) in places:
            raise EnvironmentProblem(f"{places[release]} and {python} both have {finding.compiler.name} {release}")
        places[release] = python
    order = sorted(places, key=_key)
    found: dict[str, str] = dict.fromkeys(order, _NOT_TRIED)

    def status(release: str) -> str:
        if found[release] == _NOT_TRIED:
            result = replay(finding.folder, places[release])
            found[release] = str(result.status)
            show(result)
        return found[release]

    with TimeLimit(time.monotonic() + time_s):
        for release in order if len(order) <= _ALL else _unsearched(order, status):
            status(release)
    return found


def _unsearched(order: Sequence[str], status: Callable[[str], str]) -> Sequence[str]:
    """Search for the change between the oldest and the newest release; where these agree, return all.

    A release where the programs do not run, or fail in another way, decides nothing and is passed over.
    """
    left = list(order)
    for end in (0, -1):
        while left and status(left[end]) not in _DECIDED:
            del left[end]
    if not left or status(left[0]) == status(left[-1]):
        return left
    while len(left) > 2:
        middle = len(left) // 2
        if status(left[middle]) not in _DECIDED:
            del left[middle]
        elif status(left[middle]) == status(left[0]):
            del left[:middle]
        else:
            del left[middle + 1 :]
    return ()


def sentences(releases: Mapping[str, str]) -> Iterator[str]:
    """Yield the result of `by_release` as sentences for a person."""
    decided = {release: status == ReplayStatus.shows for release, status in releases.items() if status in _DECIDED}
    changes = [pair for pair in pairwise(decided) if decided[pair[0]] is not decided[pair[1]]]
    wrong = _listed([release for release, shows in decided.items() if shows])
    right = _listed([release for release, shows in decided.items() if not shows])
    if len(changes) > 1:
        yield f"It comes and goes: {wrong} show it, and {right} do not."
    elif changes:
        ((old, new),) = changes
        yield f"It shows since {new}; {old} is right." if decided[new] else f"It shows up to {old}; {new} is right."
        order = list(releases)
        between = order[order.index(old) + 1 : order.index(new)]
        if untried := [release for release in between if releases[release] == _NOT_TRIED]:
            yield f"The time ran out before {_listed(untried)}."
    elif decided:
        yield f"It shows in {wrong}." if wrong else f"It does not show in {right}."
    for status, why in _UNDECIDED.items():
        if names := [release for release, found in releases.items() if found == status]:
            yield f"In {_listed(names)}, {why}."


_UNDECIDED = {
    ReplayStatus.changed: "the programs fail in another way",
    ReplayStatus.not_run: "the programs cannot run",
}


def _listed(names: Sequence[str]) -> str:
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _key(release: str) -> tuple[bool, Version | str]:
    """The order of releases; one whose name has no standard form comes before all others."""
    try:
        return True, Version(release)
    except InvalidVersion:
        return False, release
