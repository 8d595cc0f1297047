"""The page of a hunt's findings: what it took, what was new over time, what found each cause, and its verdict."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import chain, groupby
from pathlib import Path
from textwrap import shorten
from typing import Any

Result = dict[str, Any]
"""The result of a campaign: ``compiler``, ``version``, ``seeds``, ``seed``, when it ``ended``, counts, ``causes``."""

COUNTS = ("tested", "programs", "raw_findings", "defects", "unsound_variants", "elapsed_s")

VERDICTS = ("bug", "expected", "ours", "unknown")
"""What a cause is: a listed bug, what a maintainer calls expected, a fault of Polyjuice, or not examined."""

_LONGEST = 160
"""The longest message in the table, in characters."""

_HEAD = """# Findings of hunts

Written by `make hunt`. A turn is a campaign of one worker, with a seed of its own. The hours include triage. *Raw
findings* are all that the oracles confirmed and that no known bug explains. *Causes* are what triage makes of them, one
for each signature; *known* are listed bugs, and documented behaviour, that campaigns met again. `verdicts.toml` has
what a person found out about a cause: `bug` with its number in `artifacts/bugs`, `expected` by the compiler's
maintainers, or `ours`, a fault of Polyjuice. Nobody has examined the others: they are `unknown`.
"""

_MEANS = {
    "program": "what the program was made for: a part of the compiler, exactly or as a near miss, or no part",
    "oracle": "the check that found it",
    "sides": "one program, or a pair of equivalent ones",
    "profile": "the values of the inputs",
}


def identity(result: Result) -> tuple[str, str, str, int]:
    """Return what identifies a campaign: compiler, version, source of seed graphs, and seed."""
    return result["compiler"], result["version"], result["seeds"], result["seed"]


class Verdicts:
    """What a person found out about causes, from ``verdicts.toml``: patterns of causes with a verdict each."""

    def __init__(self, path: Path) -> None:
        listed = tomllib.loads(path.read_text(encoding="utf-8"))["verdict"] if path.exists() else []
        self._listed: Sequence[Mapping[str, str]] = listed

    def of(self, compiler: str, cause: str) -> str:
        """Return the verdict on a cause, such as ``bug 295``, or "" if there is none. The first pattern counts."""
        for one in self._listed:
            if one["compiler"] == compiler and fnmatchcase(cause, one["cause"]):
                return one["is"]
        return ""


def text(known: Sequence[Result], verdicts: Verdicts) -> str:
    """Return the page in Markdown. ``known`` is sorted by `identity`."""
    releases = [
        (f"{compiler} {version}", list(results))
        for (compiler, version), results in groupby(known, key=lambda result: (result["compiler"], result["version"]))
    ]
    parts = [_HEAD, *_totals(releases, verdicts), *_over_time(releases), *_by_means(known)]
    for release, results in releases:
        if found := causes(results, verdicts):
            head = ["cause", "verdict", "raw findings", "seeds", "an example"]
            parts += [f"\n## {release}\n", *markdown(head, found)]
    return "\n".join(parts) + "\n"


def causes(results: Sequence[Result], verdicts: Verdicts) -> list[tuple[str, str, int, str, str]]:
    """Return each cause of a release once: signature, verdict, raw findings, campaigns, and a shortened example."""
    rows: dict[str, tuple[str, str, int, str, str]] = {}
    for result in results:
        for cause in result["causes"]:
            signature, seed = cause["signature"], f"{result['seeds']} {result['seed']}"
            verdict = verdicts.of(result["compiler"], signature)
            _, _, raw, seeds, title = rows.get(signature, ("", "", 0, "", shorten(cause["title"], _LONGEST)))
            rows[signature] = signature, verdict, raw + cause["raw"], f"{seeds}, {seed}" if seeds else seed, title
    return sorted(rows.values())


def _totals(releases: Sequence[tuple[str, Sequence[Result]]], verdicts: Verdicts) -> Iterable[str]:
    counted = ["turns", "hours", "programs", "known", "raw findings", "causes", *VERDICTS]
    rows = []
    for release, results in releases:
        total = {name: sum(result[name] for result in results) for name in COUNTS}
        met = {url for result in results for url in result["known"]}
        found = causes(results, verdicts)
        said = Counter((verdict or "unknown").partition(" ")[0].rstrip(":") for _, verdict, *_ in found)
        row = [release, len(results), f"{total['elapsed_s'] / 3600:.2f}", total["programs"], len(met)]
        row += [total["raw_findings"], len(found), *(said[verdict] for verdict in VERDICTS)]
        rows.append([*row, total["defects"] + total["unsound_variants"]])
    hours = sum(result["elapsed_s"] for _, results in releases for result in results) / 3600
    yield from markdown(["compiler", *counted, "defects of Polyjuice"], rows)
    yield f"\n{hours:.2f} hours in all."


def _over_time(releases: Sequence[tuple[str, Sequence[Result]]]) -> Iterable[str]:
    """Return how many causes, new bugs and known ones, a release had shown after 1, 2, 4 ... hours of its campaigns."""
    histories = {release: list(_history(results)) for release, results in releases}
    longest = max(history[-1][1] for history in histories.values())
    marks = [0.25 * 2**power for power in range(10) if not power or 0.25 * 2**power < 2 * longest]
    yield "\n## What was new over time\n\nDifferent causes, with known bugs, after hours of campaigns of a compiler.\n"
    rows = []
    for release, history in histories.items():
        last = history[-1][1]
        counts = [sum(new for _, hours, new in history if hours <= mark) for mark in marks]
        rows.append([release, *(count if mark < 2 * last else "" for count, mark in zip(counts, marks, strict=True))])
    yield from markdown(["compiler", *(f"{mark:g} h" for mark in marks)], rows)
    yield "\nBy week of the year, causes that were new in it:\n"
    weeks: Counter[str] = Counter()
    for ended, _, new in chain.from_iterable(histories.values()):
        weeks[datetime.fromtimestamp(ended, UTC).strftime("%G, week %V")] += new
    yield from markdown(["week", "new causes"], sorted(weeks.items()))


def _history(results: Iterable[Result]) -> Iterable[tuple[int, float, int]]:
    """Yield when each campaign ended, all hours until then, and how many causes and known bugs it met first."""
    seen: set[str] = set()
    hours = 0.0
    for result in sorted(results, key=_ended):
        hours += result["elapsed_s"] / 3600
        new = {cause["signature"] for cause in result["causes"]}.union(result["known"]) - seen
        seen |= new
        yield _ended(result), hours, len(new)


def _ended(result: Result) -> int:
    ended: int = result["ended"]
    return ended


def _by_means(known: Sequence[Result]) -> Iterable[str]:
    """Return what found the causes: each counts once for a compiler, by the campaign that ended first."""
    last_first = sorted(known, key=_ended, reverse=True)
    found = {(one["compiler"], cause["signature"]): cause["found"] for one in last_first for cause in one["causes"]}
    yield "\n## What found each cause\n"
    for means, meaning in _MEANS.items():
        counts = Counter(cause[means] for cause in found.values())
        yield f"- {means} ({meaning}): {', '.join(f'{name} {count}' for name, count in counts.most_common())}"


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterable[str]:
    """Yield the lines of a table."""
    yield from ("| " + " | ".join(head) + " |", "|" + len(head) * "---|")
    for row in rows:
        yield "| " + " | ".join(str(value).replace("|", "\\|") for value in row) + " |"
