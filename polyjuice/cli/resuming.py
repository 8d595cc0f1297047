"""``polyjuice fuzz --resume``: the options that it takes once more, and what it says of a finished campaign."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import Any

from polyjuice.campaign.config import Config
from polyjuice.campaign.store import Store
from polyjuice.cli import advice
from polyjuice.cli.common import Usage
from polyjuice.wording import counted

CHANGEABLE = ("-n", "--time", "--workers", "--triage", "--known", "--python", "--max-skipped")
"""The options that --resume may change; -n and --time are totals."""

_OF_THE_RUN = {"--resume", "--json", "--help-all"}
"""Options that say nothing about the campaign."""

_FIELDS: Mapping[str, str] = {
    "--compiler": "compiler",
    "--seeds": "seeds",
    "--rules": "rules",
    "--seed": "seed",
    "--nodes": "nodes",
    "--only-operator": "only_operators",
    "--disruptive": "disruptive",
    "--opset": "opset",
    "--variants": "variants",
    "--extract": "extract",
    "--only-rule": "only_rules",
    "--without-rule": "without_rules",
    "--oracle": "oracles",
    "--profile": "profiles",
    "--input-sets": "input_sets",
    "--device": "device",
    "--level": "level",
    "--timeout": "timeout_s",
    "--pack": "pack",
    "--plain": "pack",
    "--max-elements": "max_elements",
    "--max-nodes": "max_nodes",
    "--read-timeout": "read_timeout_s",
    "--read-memory": "read_memory_gib",
}
"""The field of `Config` that each other option sets."""


def refuse_changes(
    named: Set[str], folder: Path, out: Path | None, config: Config, asked: Callable[[], Config]
) -> None:
    """Raise Usage if an option of the command line, one of ``named``, has another value than the campaign began with.

    ``config`` is the campaign's, and ``asked`` returns that of a new campaign with the options of the command line.
    """
    fixed = sorted(named - {*CHANGEABLE} - _OF_THE_RUN)
    if "--out" in fixed and out is not None:
        fixed.remove("--out")
        if out.resolve() != folder.resolve():
            raise Usage(f"--out {out}: --resume {folder} continues the campaign in its own folder: leave out --out")
    if not fixed:
        return
    new = asked()
    for option in fixed:
        field = _FIELDS[option]
        before, now = getattr(config, field), getattr(new, field)
        if before != now:
            raise Usage(
                f"{option}: the campaign in {folder} began with {_shown(before)}, not {_shown(now)}: leave it out, "
                f"or begin another campaign (what --resume may change: {', '.join(CHANGEABLE)})"
            )


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) if value != "" else "the default"


def finished(store: Store, config: Config) -> str:
    """Say that nothing is left to do in a campaign, and how it can go on; "" if something is left."""
    spent = store.spent(config.workers)["cases_s"]
    if config.cases is not None:
        over, what = len(store.done() & {*range(config.cases)}) == config.cases, counted(config.cases, "case")
    else:
        over, what = spent >= (config.time_s or 0.0), f"{config.time_s:g} s of cases"
    if not over or store.postponed() or (config.triage_s and store.waiting()):
        return ""
    more = f"polyjuice fuzz --resume {shlex.quote(str(store.folder))} {advice.longer(config)}"
    return f"the campaign is finished: {what}, and all findings are triaged; to go on, run {more}"
