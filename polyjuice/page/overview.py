"""Turn a campaign's folder, or the result of a suite (its JSON, or pytest's JUnit XML), into a page."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from polyjuice import compilers, drawing
from polyjuice.campaign import coverage, parts
from polyjuice.campaign.config import Config
from polyjuice.campaign.schedule import SHARES
from polyjuice.campaign.store import Store
from polyjuice.compilers import EnvironmentProblem
from polyjuice.egraph import RuleError
from polyjuice.frameworks.limits import reading_within
from polyjuice.frameworks.onnx import graph_files
from polyjuice.ops import matching
from polyjuice.page import cards, plots
from polyjuice.page.cards import Card, Page, pictures
from polyjuice.page.plots import Picture
from polyjuice.suite.carried.harness.judging import FAILED, PASSED, SKIPPED
from polyjuice.suite.running import EXPECTED_FAILURE, STATUSES, UNEXPECTED_PASS, WRONG
from polyjuice.support import refused
from polyjuice.wording import counted, duration

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
    """The page of a campaign. Raises NoCampaign, or DrawingMissing if a drawing library is not installed."""
    plots.check()
    store, config = Store.open(folder)
    with closing(store), reading_within(config.read_limits):
        return _page(folder, store, config)


def _page(folder: Path, store: Store, config: Config) -> Page:
    summary = store.summary()
    found = cards.in_folder(folder / "findings")
    groups = _untriaged(store) if config.triage_s else []
    version = store.meta("version") or ""
    covered = store.covered()
    noun = "causes" if config.triage_s else "findings"
    columns, heat = _heat(config, version, covered, found)
    return Page(
        title=f"{config.compiler} {version}".strip() + f": {counted(len(found), noun.removesuffix('s'))}",
        lead=_lead(config, version, store, summary, len(found)),
        numbers=_numbers(config, summary, len(found), sum(count for _, count, _ in groups)),
        noun=noun,
        cards=[cards.card(one, f"c{n}", folder / "findings" / one.folder.name) for n, one in enumerate(found, 1)],
        groups=groups,
        growth=_growth(store),
        parts=_parts(store, config),
        coverage=_coverage(config, version, covered),
        columns=columns,
        heat=heat,
        time=[(name, summary["share"][name], _ACTIVITIES[name]) for name in SHARES],
        environment=_environment(config, version, found),
        further=_further(store, summary),
    )


def _untriaged(store: Store) -> list[tuple[str, int, list[str]]]:
    groups = [(group.cause, [f"raw/{name}" for name in (group.name, *group.others)]) for group in store.groups()]
    return sorted(((what, len(names), names[:_EXAMPLES]) for what, names in groups), key=lambda group: -group[1])


def _lead(config: Config, version: str, store: Store, summary: Mapping[str, Any], reported: int) -> list[str]:
    took = duration(store.spent()["elapsed_s"])
    tested = counted(summary["tested"], "case")
    lead = [
        f"Polyjuice tested {config.compiler} {version} with {tested} in {took}: "
        f"{counted(summary['programs'], 'program')}, {counted(summary['pairs'], 'pair')} among them."
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
            f"Below {'is' if reported == 1 else 'are'} {counted(reported, 'root cause')}{_of_which_known(summary)}."
            + (f" {counted(left, 'finding')} {_was(left)} not triaged yet." if left else "")
        )
    return lead


def _of_which_known(summary: Mapping[str, Any]) -> str:
    known = summary["known_causes"]
    return f", {known} of them known" if known else ""


def _numbers(config: Config, summary: Mapping[str, Any], reported: int, left: int) -> list[tuple[str, str, str]]:
    own = summary["unsound_variants"] + summary["defects"]
    return [
        (f"{summary['tested']:,}", "cases tested", ""),
        (f"{summary['programs']:,}", "programs run", ""),
        (f"{summary['raw_findings']:,}", "findings", "bad" if summary["raw_findings"] else ""),
        (f"{reported:,}", "root causes" if config.triage_s else "signatures", "bad" if reported else ""),
        *([(f"{left:,}", "not yet triaged", "mark")] if left else []),
        *([(f"{own:,}", "faults in Polyjuice itself", "bad")] if own else []),
    ]


def _growth(store: Store) -> list[Picture]:
    """Plot how coverage and findings grew over the cases. Without coverage data there is no plot of it."""
    rows = store.growth()
    _, pairs, conditions, found = zip(*rows, strict=True) if rows else ((), (), (), ())
    curves = (
        (pairs, "pairs", f"{counted(sum(pairs), 'pair')} of an operator and an element type"),
        (
            conditions,
            "conditions",
            f"{sum(conditions):,} such pairs with a size, a neighbour, a layout, a setting or a distribution",
        ),
        (found, "found", f"{counted(sum(found), 'finding')}, duplicates included"),
    )
    return [plots.growth(counts, caption, f"growth-{key}") for counts, key, caption in curves if sum(counts)]


def _parts(store: Store, config: Config) -> tuple[str, list[list[str]]]:
    """The coverage of the compiler's parts; empty if no program was compiled with a trace, or the files are gone."""
    with suppress(EnvironmentProblem, RuleError):
        (found,) = parts.of_campaigns([(store, config)])
        if found.traced:
            return found.line(), [[part.part, *(f"{n:,}" for n in part.counts), part.note] for part in found.parts]
    return "", []


def _coverage(config: Config, version: str, covered: Sequence[coverage.Tuple]) -> list[tuple[str, float, str]]:
    """The coverage by factor; empty if the compiler's file no longer exists."""
    try:
        report = coverage.of_campaign(covered, config, version) if covered else {}
    except EnvironmentProblem:
        return []
    return [(_FACTORS[f], row["share"], f"{row['covered']:,} of {row['of']:,}") for f, row in report.items()]


def _heat(
    config: Config, version: str, covered: Sequence[coverage.Tuple], found: Sequence[cards.Found]
) -> tuple[list[str], dict[str, list[tuple[str, str, str]]]]:
    """The element types that some operator was tested on, and for each tested operator one cell per type."""
    met = Counter((op, dtype) for op, dtype, *_ in covered)
    blamed = Counter(pair for one in found for pair in _operators(one))
    possible = {
        (op.qualified, dtype): dtype for op in matching(config.only_operators) for dtype in op.types[op.variable(0)]
    }
    columns = [dtype for dtype in dict.fromkeys(possible.values()) if any(dtype == other for _, other in met)]
    not_taken: set[tuple[str, str]] = set()
    with suppress(EnvironmentProblem):  # the compiler's file no longer exists
        not_taken = refused(compilers.find(config.compiler), version, config.opset)

    def cell(pair: tuple[str, str]) -> tuple[str, str, str]:
        conditions = met[pair]
        if not conditions:
            return ("none", "–", "") if pair in not_taken else ("none", "·", "") if pair in possible else ("", "", "")
        tone = f"heat-{1 + sum(conditions >= limit for limit in _HEAT)}"
        meaning = f"{pair[0]} on {pair[1]}: tested under {counted(conditions, 'condition')}"
        if not blamed[pair]:
            return tone, str(conditions), meaning
        return f"{tone} found", str(conditions), f"{meaning}; in {counted(blamed[pair], 'wrong program')}"

    names = sorted({op for op, _ in met}, key=lambda name: ("." in name, name.lower()))
    return columns, {name: [cell((name, dtype)) for dtype in columns] for name in names}


def _operators(one: cards.Found) -> set[tuple[str, str]]:
    graph = one.wrong
    nodes = [node for node in graph.nodes if node.inputs and node.inputs[0]] if graph else []
    return {(node.qualified, graph.types[node.inputs[0]].dtype) for node in nodes if graph}


def _environment(config: Config, version: str, found: Sequence[cards.Found]) -> dict[str, str]:
    versions = {config.compiler: version}
    for one in found:
        versions.update(one.record.versions if one.record else {})
    options = {
        "Seed": config.seed,
        "Seed graphs": ", ".join(config.seeds),
        "Oracles": ", ".join(config.oracles),
        "Input profiles": ", ".join(config.profiles),
        "Variants per graph": f"{config.variants}, {config.extract}",
        "Device": config.device,
        "Optimization level": config.level or "the compiler's default",
        "Processes": config.workers or f"all of the cluster {config.cluster}",
        "Time for cases": duration(config.time_s) if config.time_s else "",
        "Number of cases": config.cases or "",
        "Your own rules": ", ".join(config.rules),
        "Interpreter": config.python,
    }
    return {**versions, **{name: str(value) for name, value in options.items() if value != ""}}


def _further(store: Store, summary: Mapping[str, Any]) -> dict[str, list[str]]:
    by_kind = summary["by_kind"]
    lists = {
        "Skipped cases": [f"{n} × {reason}" for reason, n in summary["skipped_reasons"].items()],
        "Known bugs found again": [f"{n} × {url}" for url, n in summary["known"].items()],
        "Sizes of models with symbolic sizes": [f"{text}: {counted(n, 'case')}" for text, n in store.sizes().items()],
        "Not counted as findings": [f"{by_kind[k]} × {text}" for k, text in _NOT_COUNTED.items() if by_kind.get(k)],
    }
    return {name: items for name, items in lists.items() if items}


_NOT_COUNTED = {
    "flaky": "flaky: not repeated in fresh processes",
    "duplicate": "duplicates: like a failure that is already confirmed",
    "postponed": "postponed: not confirmed yet; --resume confirms them",
}


def _was(n: int) -> str:
    return "was" if n == 1 else "were"


_TONES = {FAILED: "bad", UNEXPECTED_PASS: "bad", EXPECTED_FAILURE: "mark", PASSED: "good"}
_COUNTS = {status: status.replace(" ", "_") for status in STATUSES}
_ORDER = (FAILED, UNEXPECTED_PASS, EXPECTED_FAILURE, SKIPPED)


class PageError(ValueError):
    """The path is neither a campaign nor the result of a suite. The message is one line."""


def of_result(path: Path) -> Page:
    """The page of a suite's result. Raises PageError, DrawingMissing."""
    text = path.read_text(encoding="utf-8", errors="replace")
    result = _junit(path, text) if text.lstrip().startswith("<") else _json(path, text)
    counts = Counter({status: int(result.get(name, 0)) for status, name in _COUNTS.items()})
    results = sorted(result["results"], key=lambda one: (_ORDER.index(one["status"]), one["case"]))
    suite = Path(result["suite"]) if result["suite"] else None
    return Page(
        title=_title(result, counts, path),
        lead=list(_lead_of_result(result, counts, path)),
        numbers=[
            (f"{n:,}", status, _TONES.get(status, "") if n else "")
            for status, n in counts.items()
            if n or status in (PASSED, FAILED, SKIPPED)
        ],
        noun="cases",
        cards=[_card(one, f"c{n}", result, suite) for n, one in enumerate(results, 1)],
        environment={name: str(result[name]) for name in ("compiler", "version", "suite") if result[name]},
    )


def _title(result: Mapping[str, Any], counts: Mapping[str, int], path: Path) -> str:
    what = f"{result['compiler']} {result['version']}".strip() or path.name
    wrong = sum(counts[status] for status in WRONG)
    return f"{what}: " + (
        f"{wrong:,} of {counted(result['cases'], 'case')} not as expected" if wrong else "all as expected"
    )


def _lead_of_result(result: Mapping[str, Any], counts: Mapping[str, int], path: Path) -> Iterator[str]:
    what = f"{result['compiler']} {result['version']}".strip() or "A compiler"
    took = f" in {duration(result['elapsed_s'])}" if result["elapsed_s"] else ""
    yield f"{what} ran {counted(result['cases'], 'case')} of {result['suite'] or path.name}{took}."
    results = [f"{counts[status]:,} {status}" for status in STATUSES if counts[status]]
    yield f"Results: {', '.join(results)}."


def _json(path: Path, text: str) -> dict[str, Any]:
    try:
        result = dict(json.loads(text))
        needed = {"suite", "compiler", "version", "cases", "elapsed_s", "results"} - result.keys()
        known = all(one["status"] in _ORDER and {"case", "message"} <= one.keys() for one in result["results"])
    except (ValueError, TypeError, KeyError):
        needed, known = {"results"}, False
    if needed or not known:
        raise PageError(_NO_RESULT.format(path=path))
    return result


_NO_RESULT = (
    "{path} is not the result of a suite: give a campaign's folder, the output of polyjuice suite run --json, "
    "or the file of pytest --junitxml"
)


def _junit(path: Path, text: str) -> dict[str, Any]:
    """A result like that of ``suite run --json``, with empty texts for data that the XML lacks."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise PageError(f"{path} cannot be read as XML: {error}") from None
    if root.tag not in ("testsuites", "testsuite"):
        raise PageError(_NO_RESULT.format(path=path))
    results = [_test(case) for case in root.iter("testcase")]
    counts = Counter(one["status"] for one in results)
    seconds = sum(float(suite.get("time", 0)) for suite in root.iter("testsuite"))
    head = {"suite": "", "compiler": "", "version": "", "cases": len(results), "elapsed_s": seconds}
    failed = [one for one in results if one["status"] != PASSED]
    return {**head, **{name: counts[status] for status, name in _COUNTS.items()}, "results": failed}


def _test(case: ElementTree.Element) -> dict[str, str]:
    """A test of JUnit XML. A skipped test that pytest marks as xfail is an expected failure."""
    name = case.get("name", "")
    name = name.rpartition("[")[2].removesuffix("]") if name.endswith("]") else name
    for child in case:
        message = child.get("message") or (child.text or "")
        if child.tag in ("failure", "error"):
            return {"case": name, "status": FAILED, "message": _plain(message)}
        if child.tag == "skipped":
            expected = child.get("type") == "pytest.xfail"
            return {"case": name, "status": EXPECTED_FAILURE if expected else SKIPPED, "message": _plain(message)}
    return {"case": name, "status": PASSED, "message": ""}


def _plain(text: str) -> str:
    """A message without the exception's name in front."""
    return text.removeprefix("Failed: ").strip()


def _card(one: Mapping[str, str], key: str, result: Mapping[str, Any], suite: Path | None) -> Card:
    folder = suite / one["case"] if suite else None
    case = _case(folder)
    wrong = one["status"] in WRONG
    programs, note = _programs(folder, key, one["message"]) if folder and wrong else ((), "")
    first, _, rest = one["message"].partition("\n")
    commands = {}
    if suite and wrong:
        suite_text = shlex.quote(str(suite))
        commands["Run it alone"] = f"pytest {suite_text} --compiler {result['compiler']} -k {one['case']}"
    return Card(
        key=key,
        kind=one["status"],
        tone=_TONES.get(one["status"], ""),
        title=one["case"],
        message=first,
        programs=programs,
        programs_note=note,
        rules_lead="Rules that fired in the e-graph of the pair:" if programs and case.get("rules") else "",
        rules=dict.fromkeys(case.get("rules", ()), "") if programs else {},
        commands=commands,
        texts={"the whole message": one["message"]} if rest else {},
    )


def _case(folder: Path | None) -> dict[str, Any]:
    path = folder / "case.json" if folder else None
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))) if path and path.is_file() else {}
    except ValueError:
        return {}


def _programs(folder: Path, key: str, message: str) -> tuple[Sequence[Picture], str]:
    files = {"A": folder / "a.onnx", "B": folder / "b.onnx"}
    if not all(path.is_file() for path in files.values()):
        return (), ""
    try:
        graphs = {label: graph_files.load(path) for label, path in files.items()}
        captions = {label: f"Program {label.lower()}" for label in graphs}
        return pictures(key, graphs, captions, wrong=_wrong(message)), ""
    except (graph_files.FormatError, drawing.DrawingError) as error:
        return (), f"{error}."


def _wrong(message: str) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {}
    for side, output in re.findall(r"^([ab]): output (\d+) ", message, re.MULTILINE):
        found.setdefault(side.upper(), {})[int(output)] = "is wrong"
    return found
