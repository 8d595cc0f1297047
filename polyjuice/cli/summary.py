"""The summary of a campaign, and advice on what to do next."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from polyjuice import compilers
from polyjuice.campaign import coverage
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import MIXED
from polyjuice.campaign.preparation import NOT_LOADED
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import CONFIRM, TRIAGE
from polyjuice.campaign.seeds import Seeds
from polyjuice.campaign.store import Distinct, Store
from polyjuice.campaign.triage import DUPLICATES, LISTED, UNTRIAGED
from polyjuice.cli.common import aligned, stdout
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import Rule, graph_windows, operator_count
from polyjuice.frameworks.user_model import UserModel
from polyjuice.oracles import ORACLES
from polyjuice.triage.stored import title_of
from polyjuice.wording import counted

_SHOWN = 10
"""The most causes, and the most groups, that a summary shows."""

_TESTED = {"tested": "case", "programs": "program", "pairs": "pair", "packs": "pack"}
"""The counts of a summary's first line, each with its noun."""


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _findings(summary: dict[str, Any]) -> str:
    causes, untriaged = summary["causes"], summary["untriaged"]
    parts = [counted(causes, "cause")] if causes or not untriaged else []
    if known := summary["known_causes"]:
        parts.append(f"{known} of them known")
    if pairs := summary["causes_of_pairs"]:
        parts.append(f"{pairs} of them only in pairs of programs")
    if untriaged:
        parts.append(f"{untriaged} not yet triaged, in {counted(summary['findings'] - causes, 'group')}")
    return "; ".join(parts)


def print_summary(summary: dict[str, Any], config: Config, store: Store) -> None:
    """Print the summary, and some lines for each finding, the one to look at first before the others."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in _rows(summary).items():
        table.add_row(f"[bold]{name}", escape(value))
    for row in (row for row in summary.get("models", ()) if row["cases"]):
        texts = model_lines(row, config.compiler)
        for label, text in zip(["model", *[""] * len(texts)], [row["source"], *texts], strict=True):
            table.add_row(f"[bold]{label}", escape(text))
    stdout.print(table)
    for what, findings in (("", store.causes()), ("not triaged yet: ", store.groups())):
        for finding in findings[:_SHOWN]:
            _print_finding(finding, store.folder, what if config.triage_s else "")
        if more := findings[_SHOWN:]:
            listed = store.folder / (f"findings/{UNTRIAGED}" if what and config.triage_s else LISTED)
            stdout.print(f"\nand {len(more)} more: {escape(str(listed))}", highlight=False)
    if (store.folder / DUPLICATES).exists():
        stdout.print(f"\nduplicates, with the evidence: {escape(str(store.folder / DUPLICATES))}")


def _print_finding(finding: Distinct, campaign: Path, untriaged: str) -> None:
    folder = campaign / ("raw" if untriaged else "findings") / finding.name
    record = finding.record
    kind, colour = (f"known {record['kind']}", "cyan") if record.get("known") else (record["kind"], "red")
    more = f" (and {len(finding.others)} more)" if finding.others else ""
    stdout.print(f"\n{untriaged}[{colour}]{kind}[/{colour}] {escape(str(folder))}{more}")
    title = "" if untriaged else title_of(folder)
    known = f"known: {record['known']}" if record.get("known") else ""
    for text in filter(None, (title and f"[bold]{escape(title)}", escape(record["message"]), escape(known))):
        stdout.print(Padding(text, (0, 0, 0, 2)) if stdout.is_terminal else f"  {text}")


def _rows(summary: dict[str, Any]) -> dict[str, str]:
    reasons = ", ".join(f"{n} {reason}" for reason, n in summary["skipped_reasons"].items())
    share = summary["share"]
    rows = {
        "compiler": f"{summary['compiler']} {summary['version']}",
        "tested": ", ".join(
            counted(summary[key], noun) for key, noun in _TESTED.items() if summary[key] or key != "packs"
        ),
        "speed": f"{summary['programs_per_second']} programs/s, {summary['pairs_per_second']} pairs/s while cases ran",
        "skipped": f"{summary['skipped']}" + (f" ({reasons})" if reasons else ""),
        "findings": _findings(summary),
        "met": counted(summary["raw_findings"], "finding")
        + "".join(f", {n} {kind}" for kind, n in summary["by_kind"].items()),
        "time": f"{summary['elapsed_s']} s",
        "spent": f"{_percent(1 - share[CONFIRM] - share[TRIAGE])} on cases, {_percent(share[CONFIRM])} on confirming "
        f"findings, {_percent(share[TRIAGE])} on triage; "
        f"{_percent(share['compile'] + share['run'])} inside the compiler",
        "folder": summary["out"],
    }
    if "probe_s" in summary:
        rows["time"] += f"; {summary['probe_s']} s of it, for starting and probing the compiler, do not count"
    if "sizes" in summary:
        rows["sizes"] = "cases at " + "; ".join(f"{text}: {n}" for text, n in summary["sizes"].items())
    if "coverage" in summary:
        rows["coverage"] = coverage.line(summary["coverage"])
    if "not_loaded" in summary:
        rows["not loaded"] = f"{counted(len(summary['not_loaded']), 'model')}: {'; '.join(summary['not_loaded'])}"
    if summary["known"]:
        rows["known"] = ", ".join(f"{n} × {url}" for url, n in summary["known"].items())
    if "accepted" in summary:
        rows["accepted"] = f"{counted(summary['accepted'], 'program')} with a broken constraint (see the log)"
    if summary["unsound_variants"] or summary["defects"]:
        unsound, defects = counted(summary["unsound_variants"], "unsound variant"), summary["defects"]
        rows["in Polyjuice"] = f"{unsound}, {counted(defects, 'internal error')}"
    if summary["disturbed"] or summary["died"]:
        replaced, died = summary["disturbed"], summary["died"]
        rows["processes"] = ", ".join(
            [f"{replaced} times the compiler changed its process (see the log)"] * bool(replaced)
            + [f"{counted(died, 'process')} of the campaign died, and the work was repeated"] * bool(died)
        )
    return rows


def rate(count: int, busy_s: float) -> float:
    """The count per second of the time in which cases ran.

    That is the wall-clock time that processes spent on cases, divided by the number of processes. It includes making
    graphs, compiling, running and judging. It excludes confirming findings, triage, probing the compiler for support,
    and waiting for work.
    """
    return round(count / busy_s, 3) if busy_s > 0 else 0.0


def print_next(steps: Sequence[Step], found: bool) -> None:
    """Print what to do next, one command a line."""
    stdout.print(f"\n{'Next' if found else 'Nothing was found. Next'}:")
    for line in aligned(steps):
        stdout.print(escape(line), highlight=False)


def covered_models(
    seeds: Seeds, cases: Sequence[tuple[int, int]], compiler: CompilerInfo, rules: int
) -> list[dict[str, Any]]:
    """The coverage of each of the user's models, as plain data; ``rules`` is the number of rules that fired.

    ``cases`` has the index and the number of programs of each case. In a row, ``operators`` is the model's number of
    operators, ``kinds`` that of different ones, and ``opaque`` names those that the operator table lacks.
    ``user_program`` tells whether the compiler got the program unchanged, ``read`` whether Polyjuice can read it,
    ``large`` whether cases rewrite only parts.
    """
    models = seeds.models()
    rows = []
    for number, (source, model) in enumerate(models):
        tested = [programs for index, programs in cases if programs and index % len(models) == number]
        rows.append(
            _model_row(source, model, compiler) | {"cases": len(tested), "programs": sum(tested), "rules": rules}
        )
    return rows


def not_loaded(seeds: Seeds, cases: Iterable[CaseResult], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The user's models of which no case could be tested, each with the reason; ``rows`` are those of the others."""
    refused = {
        case.index % len(rows): case.skipped.partition(": ")[2]
        for case in cases
        if case.skipped.startswith(NOT_LOADED) and case.index not in seeds.problems
    }
    lost = [(row["source"], refused[n]) for n, row in enumerate(rows) if n in refused and not row["cases"]]
    return [*seeds.problems.values(), *map(": ".join, lost)]


def _model_row(source: str, model: UserModel, compiler: CompilerInfo) -> dict[str, Any]:
    nodes = model.graph.nodes
    return {
        "source": source,
        "operators": operator_count(model.graph),
        "kinds": len({node.qualified for node in nodes}),
        "opaque": sorted({node.qualified for node in nodes if node.opaque}),
        "read": not model.unread,
        "user_program": model.user_program(compiler.format) is not None,
        "large": len(nodes) > graph_windows.LARGEST,
    }


def model_lines(row: Mapping[str, Any], compiler: str) -> list[str]:
    """The coverage of a model, and its gaps, in sentences."""
    if not row["read"]:
        return [
            f"{counted(row['cases'], 'case')} of it as you wrote it, each compared with its uncompiled run",
            "Polyjuice cannot read it, so it has no variants and is not compared with float64",
        ]
    size = f"{counted(row['operators'], 'operator')} of {counted(row['kinds'], 'kind')}"
    how = f"{'as you wrote it, and ' if row['user_program'] else ''}rewritten by {counted(row['rules'], 'rule')}"
    found = [f"{size}, {how}: {counted(row['programs'], 'program')} in {counted(row['cases'], 'case')}"]
    if not row["user_program"]:
        found.append(f"{compiler} does not read this format: Polyjuice translated the model's graph for it")
    if row["large"]:
        found.append(
            f"each case rewrites parts of at most {graph_windows.LARGEST} operators; further cases take other parts"
        )
    if row["opaque"]:
        names = ", ".join(row["opaque"])
        found.append(f"no rule rewrites {names}; results that depend on it are not compared with float64")
    return found


_LONGER = 10
"""After a campaign without findings, the factor for the proposed number of cases or time."""

_NAMED = 5
"""How many names a warning lists."""

_REASONS = 3
"""How many reasons for skipping cases a warning names."""

_DETAIL = 100
"""The most characters of the detail of such a reason."""

Step = tuple[str, str]
"""A command and its purpose."""


def next_steps(summary: Mapping[str, Any], config: Config, generated: bool) -> list[Step]:
    """The next commands for the user after a campaign; ``generated`` says whether its seed graphs were generated."""
    out = shlex.quote(summary["out"])
    if summary["findings"]:
        return [(f"polyjuice report {out}", "shows all findings on one page")]
    again = f"polyjuice fuzz --compiler {config.compiler} {_sources(config)}"
    steps = [(f"polyjuice fuzz --resume {out} {longer(config)}", "continues this campaign")]
    if oracles := _further(config):
        steps.append((f"{again}--oracle {oracles}", "looks for other kinds of bugs"))
    if summary["known"]:
        steps.append((f"{again}--show-known", "reports the known bugs, too"))
    if generated:
        steps.append((f"polyjuice fuzz --compiler {config.compiler} --seeds MODEL.onnx", "tests your own model"))
    return steps


def longer(config: Config) -> str:
    """The options of a longer campaign."""
    if config.cases is not None:
        return f"-n {_LONGER * config.cases}"
    minutes = max(1, round(_LONGER * (config.time_s or 0) / 60))
    return f"--time {minutes}m" if minutes % 60 else f"--time {minutes // 60}h"


def cases_ended(store: Store, config: Config) -> bool:
    """Whether a campaign has run all of its cases, or for all of its time."""
    if config.cases is not None:
        return len(store.done() & {*range(config.cases)}) == config.cases
    return store.spent()["cases_s"] >= (config.time_s or 0.0)


def finished(store: Store, config: Config) -> str:
    """Say that nothing is left to do in a campaign, and how it can go on; "" if something is left."""
    if not cases_ended(store, config) or store.postponed() or (config.triage_s and store.waiting()):
        return ""
    what = counted(config.cases, "case") if config.cases is not None else f"{config.time_s:g} s of cases"
    more = f"polyjuice fuzz --resume {shlex.quote(str(store.folder))} {longer(config)}"
    return f"the campaign is finished: {what}, and all findings are triaged; to go on, run {more}"


def _further(config: Config) -> str:
    compiler = compilers.find(config.compiler)
    advised = (oracle for oracle in ORACLES.values() if oracle.advised and not oracle.refusal(compiler))
    more = [oracle.name for oracle in advised if oracle.name not in config.oracles]
    return "" if config.disruptive else ",".join(more)


def _sources(config: Config) -> str:
    return "".join(f"--seeds {shlex.quote(source)} " for source in config.seeds if source != MIXED)


def too_little(counts: Mapping[str, Any], store: Store, config: Config) -> str:
    """Why a campaign tested too little, in one line; "" if it tested enough."""
    tested, skipped = counts["tested"], counts["skipped"]
    log = f"the log is {store.folder / 'log'}"
    if not tested:
        if not skipped:
            return f"the campaign tested nothing: no case ended; {log}"
        return f"the campaign tested nothing: it skipped {counted(skipped, 'case')}: {_reasons(store)}; {log}"
    allowed = config.may_skip(tested + skipped)
    if skipped <= allowed:
        return ""
    return (
        f"{skipped} of {counted(tested + skipped, 'case')} were skipped, more than --max-skipped allows ({allowed}): "
        f"{_reasons(store)}; {log}"
    )


def _reasons(store: Store) -> str:
    details: dict[str, Counter[str]] = {}
    for text, count in store.skipped().items():
        reason, _, detail = text.partition(": ")
        details.setdefault(reason, Counter())[textwrap.shorten(detail, _DETAIL, placeholder=" ...")] += count
    most = sorted(details.items(), key=lambda item: (-item[1].total(), item[0]))[:_REASONS]
    return ", ".join(_counted(reason, found) for reason, found in most)


def _counted(reason: str, details: Counter[str]) -> str:
    (detail, _), *_ = details.most_common(1)
    return f"{details.total()} {reason}{f' ({detail})' if detail else ''}"


def unfired(rules: Sequence[Rule], config: Config, fired: Mapping[str, int]) -> list[str]:
    """The rules that the user selected or added, and that fired in no case."""
    wanted = [rule.name for rule in rules if config.only_rules or rule.added]
    return [name for name in wanted if name not in fired]


def warning(silent: Sequence[str], tested: int) -> str:
    """A warning about rules that never fired."""
    names = ", ".join([*silent[:_NAMED], *(["..."] if len(silent) > _NAMED else [])])
    count, cases = counted(len(silent), "rule"), counted(tested, "case")
    return (
        f"{count} of yours never fired in {cases}, so {'it' if len(silent) == 1 else 'they'} tested nothing: {names}"
        f" (polyjuice rules show {silent[0]} shows a graph that it rewrites)"
    )
