"""What ``polyjuice fuzz`` says at its end: rules that tested nothing, and what to do next."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.schedule import MIXED
from polyjuice.campaign.store import Store
from polyjuice.egraph import Rule
from polyjuice.oracles import ORACLES
from polyjuice.wording import counted

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
        steps.append((f"{again}--known none", "shows the known bugs, too"))
    if generated:
        steps.append((f"polyjuice fuzz --compiler {config.compiler} --seeds MODEL.onnx", "tests your own model"))
    return steps


def longer(config: Config) -> str:
    """The options of a longer campaign."""
    if config.cases is not None:
        return f"-n {_LONGER * config.cases}"
    minutes = max(1, round(_LONGER * (config.time_s or 0) / 60))
    return f"--time {minutes}m" if minutes % 60 else f"--time {minutes // 60}h"


def finished(store: Store, config: Config) -> str:
    """Say that nothing is left to do in a campaign, and how it can go on; "" if something is left."""
    spent = store.spent()["cases_s"]
    if config.cases is not None:
        over, what = len(store.done() & {*range(config.cases)}) == config.cases, counted(config.cases, "case")
    else:
        over, what = spent >= (config.time_s or 0.0), f"{config.time_s:g} s of cases"
    if not over or store.postponed() or (config.triage_s and store.waiting()):
        return ""
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
