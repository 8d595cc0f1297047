"""The end of ``polyjuice fuzz``, after its summary: rules that tested nothing, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import MIXED
from polyjuice.egraph import Rule
from polyjuice.oracles import ORACLES
from polyjuice.wording import counted

_FURTHER_ORACLES = ("optlevel", "determinism")
"""Oracles that find other bugs than the default ones, and need nothing more."""

_LONGER = 10
"""After a campaign without findings, the factor for the proposed number of cases or time."""

_NAMED = 5
"""How many names a warning lists."""

Step = tuple[str, str]
"""A command and its purpose."""


def next_steps(summary: Mapping[str, Any], config: Config, generated: bool) -> list[Step]:
    """The next commands for the user after a campaign; ``generated`` says whether its seed graphs were generated."""
    out = shlex.quote(summary["out"])
    if summary["findings"]:
        return [(f"polyjuice report {out}", "shows all findings on one page")]
    again = f"polyjuice fuzz --compiler {config.compiler} {_sources(config)}"
    steps = [(f"polyjuice fuzz --resume {out} {_longer(config)}", "continues this campaign")]
    if oracles := _further(config):
        steps.append((f"{again}--oracle {oracles}", "looks for other kinds of bugs"))
    if summary["known"]:
        steps.append((f"{again}--known none", "shows the known bugs, too"))
    if generated:
        steps.append((f"polyjuice fuzz --compiler {config.compiler} --seeds MODEL.onnx", "tests your own model"))
    return steps


def _longer(config: Config) -> str:
    """The options of a longer campaign."""
    if config.cases is not None:
        return f"-n {_LONGER * config.cases}"
    minutes = max(1, round(_LONGER * (config.time_s or 0) / 60))
    return f"--time {minutes}m" if minutes % 60 else f"--time {minutes // 60}h"


def _further(config: Config) -> str:
    """Further oracles that can judge the compiler."""
    compiler = compilers.find(config.compiler)
    more = [name for name in _FURTHER_ORACLES if name not in config.oracles and not ORACLES[name].refusal(compiler)]
    return "" if config.disruptive else ",".join(more)


def _sources(config: Config) -> str:
    """The option --seeds of a campaign for a shell; "" for the default."""
    return "".join(f"--seeds {shlex.quote(source)} " for source in config.seeds if source != MIXED)


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
