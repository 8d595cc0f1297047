"""The table of published bugs and whether Polyjuice finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from entry import CAUSES, COMPILERS, Entry

SMALL = 6
"""The most operators of a reduced program that counts as a blind find."""

HALVES = ("open", "held out")

PARTS = ("given", "blind")

Known = Mapping[str, Mapping[str, Any]]
"""The results of each entry, by its key: see run.py."""

_HEAD = """# Published bugs: how many Polyjuice finds

Written by `make published`. Each entry of `benchmarks/published/` is a silent wrong result that others reported.
Polyjuice tests the last release that shows it, with default options.

- *Given*: the trigger of the bug is the seed.
- *Blind*: one worker generates programs for ten minutes for each release. Findings are confirmed afterwards. A bug
  counts if the reduced programs have its cause and at most six operators.
- *Compared* are the pairs of programs until the bug showed, and programs alone with their uncompiled run.
- Developers of Polyjuice may look at *open* entries. The others are *held out*.
"""


def text(chosen: Sequence[Entry], known: Known) -> str:
    """Return the table in Markdown: shares by half, compiler and cause, then every entry."""
    groups = {half: [e for e in chosen if e.half == half] for half in HALVES}
    groups |= {compiler: [e for e in chosen if e.compiler == compiler] for compiler in COMPILERS}
    groups |= {cause: [e for e in chosen if e.category == cause] for cause in CAUSES}
    lines = [_HEAD, "| entries | number | given | blind |", "|---|---|---|---|"]
    for name, them in {"all": list(chosen), **groups}.items():
        if them:
            lines.append(f"| {name} | {len(them)} | {_share(them, known, 'given')} | {_share(them, known, 'blind')} |")
    lines += ["", "| bug | half | release | given: compared | reduced to | blind: compared |", f"|{6 * '---|'}"]
    for entry in chosen:
        result = known.get(entry.key, {})
        given, blind = result.get("given"), result.get("blind")
        name = f"[{entry.key}]({entry.link})"
        row = (name, entry.half, entry.wrong[-1], _compared(given, "given"), _reduced(given), _compared(blind, "blind"))
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def is_small(operators: Mapping[str, int]) -> bool:
    """Whether each program of a reduced finding has at most SMALL operators."""
    return max(operators.values()) <= SMALL


def is_found(result: Mapping[str, Any], part: str) -> bool:
    """Whether a part of the measurement found a bug. A blind find counts only with small programs."""
    return bool(result["found"]) and (part == "given" or is_small(result["operators"]))


def _share(them: Sequence[Entry], known: Known, part: str) -> str:
    measured = [known[e.key][part] for e in them if part in known.get(e.key, {})]
    if not measured:
        return "-"
    found = sum(is_found(result, part) for result in measured)
    return f"{found} of {len(measured)} ({found / len(measured):.0%})"


def _compared(result: Mapping[str, Any] | None, part: str) -> str:
    if result is None:
        return "-"
    return str(result["comparisons"]) if is_found(result, part) else "not found"


def _reduced(result: Mapping[str, Any] | None) -> str:
    """Return the number of operators of each side of the reduced finding, in the order of its sides."""
    if result is None or not result["found"]:
        return ""
    counts = sorted(result["operators"].items(), key=lambda item: [item[0] != side for side in result["sides"]])
    return ", ".join(f"{side} {count}" for side, count in counts)
