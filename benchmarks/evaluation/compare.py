"""The comparison of techniques: what each detects in equal time, what it alone detects, and a test of significance.

The test is the two-sided sign test, against the technique that detects most. It takes each fault and seed where one of
the two techniques detects the fault and the other does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import Any

from scipy.stats import binomtest

from benchmarks.evaluation.techniques import ABLATIONS, TECHNIQUES

Run = Mapping[str, Any]
"""A campaign: its ``seconds`` and ``programs``, and under ``detected`` the names of the faults that it detected."""

Runs = Mapping[str, Mapping[str, Run]]
"""The campaigns by technique and seed."""

COMBINED = ("minmax and differential", "difference and differential", "campaign", "campaign with more pairs")
"""The techniques that include others: they do not count where a fault is one technique's alone."""


_LONGEST = 130
"""The longest name of a fault, in characters."""


def document(title: str, module: str, known: Mapping[str, Runs], table: Callable[[Runs], str], about: str = "") -> str:
    """Return a page of tables in Markdown, one for each compiler in ``known``; ``about`` goes into their titles."""
    lines = [
        f"# {title}",
        "",
        f"Written by `benchmarks/evaluation/{module}.py`, which says how it counts. *Detected* has each seed's number,",
        "*any seed* those of all seeds. *Alone* counts those that no other technique here detects.",
        "",
    ]
    for compiler, runs in known.items():
        seconds = max(run["seconds"] for seeds in runs.values() for run in seeds.values())
        lines += [f"## {compiler}: {about}{seconds:.0f} s for each seed", "", table(runs)]
    return "\n".join(lines)


def table(runs: Runs) -> str:
    """Return the table of techniques in Markdown, and a sentence on equality saturation."""
    lines = ["| technique | programs | detected | any seed | alone | sign test |", "|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row(technique, runs))} |" for technique in TECHNIQUES if technique in runs]
    return "\n".join([*lines, "", saturation(runs), ""])


def changes(runs: Runs) -> str:
    """Return the table of ablations in Markdown: each against the one without its change."""
    lines = [
        "| change | programs | detected | any seed | not without it | lost by it | sign test |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in (name for name in ABLATIONS if name in runs):
        base = "campaign" if name.startswith("campaign") else "minmax"
        mine, others = _any(runs[name]), _any(runs[base])
        p = f"p = {significance(runs[name], runs[base]):.2g}"
        end = ("", "", "") if name == base else (len(mine - others), len(others - mine), p)
        lines.append(f"| {' | '.join(map(str, (name, *_counts(runs[name]), *end)))} |")
    return "\n".join([*lines, ""])


def _counts(runs: Mapping[str, Run]) -> tuple[str, str, str]:
    """Return the programs, what each seed detects, and what any does."""
    programs = sum(run["programs"] for run in runs.values())
    return str(programs), ", ".join(str(len(run["detected"])) for run in runs.values()), str(len(_any(runs)))


def row(technique: str, runs: Runs) -> Sequence[str]:
    """Return the cells of one technique."""
    best = max(runs, key=lambda name: len(_each(runs[name])))
    others = set[str]().union(*(_any(runs[name]) for name in runs if name not in (technique, *COMBINED)))
    return [
        technique,
        *_counts(runs[technique]),
        "" if technique in COMBINED else str(len(_any(runs[technique]) - others)),
        "" if technique == best else f"p = {significance(runs[technique], runs[best]):.2g}",
    ]


def significance(a: Mapping[str, Run], b: Mapping[str, Run]) -> float:
    """Return the p value of the sign test on the seeds that both techniques have."""
    mine, theirs = ({one for one in _each(runs) if one[0] in a.keys() & b.keys()} for runs in (a, b))
    only = len(mine - theirs), len(theirs - mine)
    return float(binomtest(only[0], sum(only)).pvalue) if sum(only) else 1.0


def saturation(runs: Runs) -> str:
    """Return the faults that only techniques with equality saturation detect."""
    alone = [name for name in runs if name not in COMBINED]
    with_it = set[str]().union(*(_any(runs[name]) for name in alone if TECHNIQUES[name].saturates))
    without = set[str]().union(*(_any(runs[name]) for name in alone if not TECHNIQUES[name].saturates))
    only, found = sorted(with_it - without), with_it | without
    lines = [
        f"Of {len(found)} faults, {len(only)} ({len(only) / max(len(found), 1):.0%}) are detected only by the "
        f"techniques that saturate an e-graph, and {len(without - with_it)} only by the others.",
        *(f"- only with an e-graph: {shorten(name, _LONGEST, placeholder=' ...')}" for name in only),
    ]
    return "\n".join(lines)


def _each(runs: Mapping[str, Run]) -> set[tuple[str, str]]:
    return {(seed, name) for seed, run in runs.items() for name in run["detected"]}


def _any(runs: Mapping[str, Run]) -> set[str]:
    return {name for run in runs.values() for name in run["detected"]}
