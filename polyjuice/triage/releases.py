"""Bisection by release: replay a finding in environments with different releases of its compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from packaging.version import InvalidVersion, Version

from polyjuice.compilers import EnvironmentProblem
from polyjuice.execution import probe
from polyjuice.triage.stored import Replayed, ReplayStatus, Stored, replay

_ALL = 3
"""With more releases, a search looks for the change between the oldest and the newest."""

_DECIDED = (ReplayStatus.shows, ReplayStatus.fixed)


def by_release(finding: Stored, pythons: Sequence[Path], show: Callable[[Replayed], None]) -> dict[str, str]:
    """Replay a finding in the releases that these interpreters have, and call ``show`` with each result.

    Return its status (`ReplayStatus`) by release, from the oldest to the newest. With more than three releases, a
    binary search replays only those that tell where the fault came or went. Where the oldest and the newest agree, all
    are replayed.

    Raises EnvironmentProblem where an interpreter lacks the compiler, two have the same release, or none runs the
    programs.
    """
    places: dict[str, Path] = {}
    for python in pythons:
        answer = probe(finding.compiler, python)
        if not answer["available"]:
            raise EnvironmentProblem(answer["reason"])
        if (release := answer["version"]) in places:
            raise EnvironmentProblem(f"{places[release]} and {python} both have {finding.compiler.name} {release}")
        places[release] = python
    try:
        order = sorted(places, key=Version)
    except InvalidVersion as error:
        raise EnvironmentProblem(f"releases of {finding.compiler.name} have no order: {error}") from None
    found: dict[str, str] = {}

    def status(release: str) -> str:
        if release not in found:
            show(result := replay(finding.folder, places[release]))
            found[release] = str(result.status)
        return found[release]

    for release in order if len(order) <= _ALL else _unsearched(order, status):
        status(release)
    if not {*found.values()} - {ReplayStatus.not_run}:
        raise EnvironmentProblem(f"the programs of {finding.folder} run in none of these releases")
    return {release: found[release] for release in order if release in found}


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
    wrong = ", ".join(release for release, shows in decided.items() if shows)
    right = ", ".join(release for release, shows in decided.items() if not shows)
    if len(changes) > 1:
        yield f"It comes and goes. Wrong: {wrong}; right: {right}."
    elif changes:
        ((old, new),) = changes
        yield f"It shows since {new}; {old} is right." if decided[new] else f"It shows up to {old}; {new} is right."
    elif decided:
        yield f"It shows in {wrong}." if wrong else f"It does not show in {right}."
    if undecided := ", ".join(release for release in releases if release not in decided):
        yield f"The programs do not run, or fail in another way, in {undecided}."
