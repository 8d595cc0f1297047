"""Turn a campaign's folder into a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polyjuice import compilers
from polyjuice.campaign import coverage
from polyjuice.campaign.clock import SHARES
from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store
from polyjuice.compilers import EnvironmentProblem
from polyjuice.ops import matching
from polyjuice.page import cards, plots
from polyjuice.page.content import Cell, Heat, Number, Page, Picture, Share, UntriagedGroup
from polyjuice.support import refused
from polyjuice.wording import counted

_ACTIVITIES = {
    "generate": "generating seed graphs",
    "rewrite": "saturating e-graphs and extracting variants",
    "lower": "writing programs",
    "compile": "inside the compiler, compiling",
    "run": "inside the compiler, running",
    "judge": "float64 references, error bounds, comparing",
    "confirm": "confirming findings in fresh processes",
    "triage": "reducing and bisecting findings",
    "other": "starting processes, and everything else",
}
_FACTORS = {
    "type": "operators on element types",
    "size": "sizes of the first operand",
    "neighbour": "operators that read the result",
    "layout": "memory layouts of inputs",
    "setting": "settings, or versions of the operator",
    "distribution": "distributions of values",
}

#: The most examples of a group, and the limits between the classes of the heat map.
_EXAMPLES, _HEAT = 3, (2, 5, 10, 20)


def of_campaign(folder: Path) -> Page:
    """Return the page of a campaign. Raises NoCampaign, or DrawingMissing if a drawing library is not installed."""
    plots.check()
    store, config = Store.open(folder)
    try:
        return _page(folder, store, config)
    finally:
        store.close()


def _page(folder: Path, store: Store, config: Config) -> Page:
    summary = store.summary()
    found = cards.in_folder(folder / "findings", config.read_limits)
    groups = untriaged(store) if config.triage_s else []
    version = store.meta("version") or _version(config, found)
    covered = store.covered()
    noun = "causes" if config.triage_s else "findings"
    return Page(
        title=f"{config.compiler} {version}".strip() + f": {counted(len(found), noun.removesuffix('s'))}",
        lead=_lead(config, version, store, summary, len(found)),
        numbers=_numbers(config, summary, len(found), sum(group.count for group in groups)),
        noun=noun,
        cards=[cards.card(one, f"c{n}", folder / "findings" / one.folder.name) for n, one in enumerate(found, 1)],
        groups=groups,
        growth=_growth(store),
        coverage=_coverage(config, version, covered),
        heat=_heat(config, version, covered, found) if covered else None,
        time=[
            Share(
                name=name,
                fraction=summary["share"][name],
                text=f"{100 * summary['share'][name]:.1f} %",
                meaning=_ACTIVITIES[name],
            )
            for name in SHARES
        ],
        environment=_environment(config, version, found),
        further=_further(store, summary),
    )


def untriaged(store: Store) -> list[UntriagedGroup]:
    """Return the findings without a root cause yet, in groups, the largest first."""
    found = []
    for group in store.groups():
        names = (group.name, *group.others)
        found.append(UntriagedGroup(group.cause, len(names), [f"raw/{name}" for name in names[:_EXAMPLES]]))
    return sorted(found, key=lambda group: -group.count)


def _version(config: Config, found: Sequence[cards.Found]) -> str:
    """Return the compiler's version from a finding, because campaigns of earlier versions do not store it."""
    return next((str(f.record["versions"].get(config.compiler, "")) for f in found if "versions" in f.record), "")


def _lead(config: Config, version: str, store: Store, summary: Mapping[str, Any], reported: int) -> list[str]:
    """Return sentences on the tested cases, the findings, and the progress of triage."""
    took = duration(store.spent(config.workers)["elapsed_s"])
    tested = counted(summary["tested"], "case")
    lead = [
        f"Polyjuice tested {config.compiler} {version} with {tested} in {took}: "
        f"{counted(summary['programs'], 'program')}, {counted(summary['pairs'], 'comparison')}."
    ]
    if not summary["raw_findings"]:
        return [*lead, "Nothing went wrong."]
    counts = ((cards.known_kind(name), n) for name, n in summary["by_kind"].items())
    listed = ", ".join(f"{n} × {kind.title}" for kind, n in counts if kind)
    raw = summary["raw_findings"]
    lead.append(f"{counted(raw, 'finding')} {_was(raw)} confirmed in fresh processes: {listed}.")
    if config.triage_s:
        left = summary["untriaged"]
        lead.append(
            f"Below {'is' if reported == 1 else 'are'} {counted(reported, 'root cause')}."
            + (f" {counted(left, 'finding')} {_was(left)} not triaged yet." if left else "")
        )
    return lead


def _numbers(config: Config, summary: Mapping[str, Any], reported: int, left: int) -> list[Number]:
    own = summary["unsound_variants"] + summary["defects"]
    return [
        Number(f"{summary['tested']:,}", "cases tested"),
        Number(f"{summary['programs']:,}", "programs run"),
        Number(f"{summary['raw_findings']:,}", "findings", "bad" if summary["raw_findings"] else ""),
        Number(f"{reported:,}", "root causes" if config.triage_s else "signatures", "bad" if reported else ""),
        *([Number(f"{left:,}", "not yet triaged", "mark")] if left else []),
        *([Number(f"{own:,}", "faults in Polyjuice itself", "bad")] if own else []),
    ]


def _growth(store: Store) -> list[Picture]:
    """Plot how coverage and findings grew over the cases. Without coverage data there is no plot of it."""
    rows = store.growth()
    _, pairs, conditions, found = zip(*rows, strict=True) if rows else ((), (), (), ())
    pictures = []
    if sum(pairs):
        covered_pairs = f"{counted(sum(pairs), 'pair')} of an operator and an element type"
        pictures.append(plots.growth(pairs, covered_pairs, "growth-pairs"))
        with_conditions = (
            f"{sum(conditions):,} such pairs with a size, a neighbour, a layout, a setting or a distribution"
        )
        pictures.append(plots.growth(conditions, with_conditions, "growth-conditions"))
    if sum(found):
        pictures.append(plots.growth(found, f"{counted(sum(found), 'finding')}, duplicates included", "growth-found"))
    return pictures


def _coverage(config: Config, version: str, covered: Sequence[coverage.Tuple]) -> list[Share]:
    """Return the coverage by factor; empty if the compiler's file no longer exists."""
    try:
        report = coverage.of_campaign(covered, config, version) if covered else {}
    except EnvironmentProblem:
        return []
    return [
        Share(
            name=_FACTORS[name],
            fraction=row["share"],
            text=f"{100 * row['share']:.1f} %",
            meaning=f"{row['covered']:,} of {row['of']:,}",
        )
        for name, row in report.items()
    ]


def _heat(config: Config, version: str, covered: Sequence[coverage.Tuple], found: Sequence[cards.Found]) -> Heat:
    """Return the tested operators, on the element types that some operator was tested on."""
    met = Counter((op, dtype) for op, dtype, *_ in covered)
    blamed = Counter(pair for one in found for pair in _operators(one))
    possible = {
        (op.qualified, dtype): dtype for op in matching(config.only_operators) for dtype in op.types[op.variable(0)]
    }
    columns = [dtype for dtype in dict.fromkeys(possible.values()) if any(dtype == other for _, other in met)]
    not_taken = _not_taken(config, version)

    def cell(pair: tuple[str, str]) -> Cell:
        if met[pair]:
            return _met(pair, met[pair], blamed[pair])
        if pair in not_taken:
            return Cell("none", "–")
        return Cell("none", "·") if pair in possible else Cell()

    names = sorted({op for op, _ in met}, key=lambda name: ("." in name, name.lower()))
    return Heat(columns, {name: [cell((name, dtype)) for dtype in columns] for name in names})


def _not_taken(config: Config, version: str) -> set[tuple[str, str]]:
    """Return the operators and types that the compiler does not support."""
    try:
        return refused(compilers.find(config.compiler), version, config.opset)
    except EnvironmentProblem:
        return set()


def _met(pair: tuple[str, str], conditions: int, blamed: int) -> Cell:
    """Return the cell of an operator on a type, with the number of tested conditions and of wrong programs."""
    heat = 1 + sum(conditions >= limit for limit in _HEAT)
    meaning = f"{pair[0]} on {pair[1]}: tested under {counted(conditions, 'condition')}"
    if blamed:
        return Cell(f"heat-{heat} found", str(conditions), f"{meaning}; in {counted(blamed, 'wrong program')}")
    return Cell(f"heat-{heat}", str(conditions), meaning)


def _operators(one: cards.Found) -> set[tuple[str, str]]:
    """Return the operators of a wrong program with the element types of their first operands."""
    graph = one.wrong
    if graph is None:
        return set()
    nodes = (node for node in graph.nodes if node.inputs and node.inputs[0])
    return {(node.qualified, graph.types[node.inputs[0]].dtype) for node in nodes}


def _environment(config: Config, version: str, found: Sequence[cards.Found]) -> dict[str, str]:
    versions = {config.compiler: version}
    for one in found:
        versions.update(one.record.get("versions", {}))
    options = {
        "Seed": config.seed,
        "Seed graphs": ", ".join(config.seeds),
        "Oracles": ", ".join(config.oracles),
        "Input profiles": ", ".join(config.profiles),
        "Variants per graph": f"{config.variants}, {config.extract}",
        "Device": config.device,
        "Optimization level": config.level or "the compiler's default",
        "Processes": config.workers,
        "Time for cases": duration(config.time_s) if config.time_s else "",
        "Number of cases": config.cases or "",
        "Your own rules": ", ".join(config.rules),
        "Interpreter": config.python,
    }
    return {**versions, **{name: str(value) for name, value in options.items() if value != ""}}


def _further(store: Store, summary: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the lists of further results of the campaign."""
    lists = {
        "Skipped cases": [f"{n} × {reason}" for reason, n in summary["skipped_reasons"].items()],
        "Known bugs found again": [f"{n} × {url}" for url, n in summary["known"].items()],
        "Sizes of models with symbolic sizes": [f"{text}: {counted(n, 'case')}" for text, n in store.sizes().items()],
        "Not counted as findings": list(_not_counted(summary["by_kind"])),
    }
    return {name: items for name, items in lists.items() if items}


def _not_counted(by_kind: Mapping[str, int]) -> Iterator[str]:
    if by_kind.get("flaky"):
        yield f"{by_kind['flaky']} × flaky: not repeated in fresh processes"
    if by_kind.get("duplicate"):
        yield f"{by_kind['duplicate']} × duplicates: like a failure that is already confirmed"
    if by_kind.get("postponed"):
        yield f"{by_kind['postponed']} × postponed: not confirmed yet; --resume confirms them"


def duration(seconds: float) -> str:
    """Return seconds as a readable text."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _was(n: int) -> str:
    return "was" if n == 1 else "were"
