"""Checks before a campaign begins: a mistake is reported before anything is on the disk."""

from __future__ import annotations

from pathlib import Path

from rich.markup import escape

from polyjuice import compilers, targets
from polyjuice.campaign.config import Config, Usage
from polyjuice.campaign.kinds import SMALL, STATEMENTS
from polyjuice.campaign.seeds import Seeds
from polyjuice.cli.common import stderr
from polyjuice.egraph import Rule, load
from polyjuice.execution.process import interpreter_of
from polyjuice.frameworks import registry
from polyjuice.frameworks.limits import reading_within
from polyjuice.frameworks.outline import FUNCTIONS
from polyjuice.frameworks.user_model import SEED_GRAPH
from polyjuice.generate import DISRUPTED_STRATEGY
from polyjuice.inputs import allowed_rulesets
from polyjuice.ops import matching
from polyjuice.oracles import ORACLES
from polyjuice.oracles import find as find_oracle
from polyjuice.triage import known_list

Checked = tuple[Seeds, tuple[Rule, ...]]
"""The seeds and the rules."""


def check(config: Config, folder: Path | None = None) -> Checked:
    """Find the user's mistakes before the campaign begins."""
    try:
        operators = matching(config.only_operators)
        with reading_within(config.read_limits):
            seeds = Seeds(
                config.seeds, config.nodes, config.seed, folder, operators=operators, timeout_s=config.timeout_s
            )
    except ValueError as error:
        raise Usage(str(error)) from None
    if config.only_operators and not seeds.generated:
        raise Usage("--only-operator is for generated graphs, and --seeds names none; leave it out")
    for problem in seeds.problems.values():
        stderr.print(f"polyjuice: {escape(problem)}", soft_wrap=True)
    _check_choices(config)
    allowed = allowed_rulesets(config.profiles)
    rules = load(map(Path, config.rules), config.only_rules, config.without_rules)
    rules = tuple(rule for rule in rules if rule.ruleset in allowed)
    if not rules:
        raise Usage(
            f"--profile {','.join(config.profiles)}: none of the chosen rules is true for its values; choose others"
        )
    known_list.load_known_bugs(config.known)
    compiler = compilers.find(config.compiler)
    targets.of_compiler(compiler.target_file, map(Path, config.targets))
    interpreter_of(compiler, config.python)  # whether the compiler can be used there shows when it starts
    return seeds, rules


def _check_choices(config: Config) -> None:
    """Raise Usage where the compiler lacks a level, or an oracle cannot judge the campaign's programs."""
    compiler = compilers.find(config.compiler)
    if config.level and config.level not in compiler.levels:
        levels = f"choose from {', '.join(compiler.levels)}" if compiler.levels else "it has no optimization levels"
        raise Usage(f"--level {config.level}: {config.compiler}: {levels}")
    if config.disruptive and config.seeds != (DISRUPTED_STRATEGY,):
        raise Usage(f"--disruptive is for {DISRUPTED_STRATEGY} graphs: give --seeds {DISRUPTED_STRATEGY} with it")
    unfit = [name for name in config.oracles if not find_oracle(name).judges_failures]
    if config.disruptive and unfit:
        alone = " and ".join(oracle.name for oracle in ORACLES.values() if oracle.judges_failures)
        raise Usage(f"--oracle {','.join(unfit)}: only {alone} can judge --disruptive programs")
    if STATEMENTS in config.seeds and not registry.find(compiler.format).updates:
        raise Usage(
            f"--seeds {STATEMENTS} generates programs that write into their inputs, which {compiler.format} programs "
            f"cannot; give --seeds {SMALL}, or a compiler of Torch programs"
        )
    if config.extract == FUNCTIONS and FUNCTIONS in compiler.lacks:
        raise Usage(f"--extract {FUNCTIONS}: {config.compiler} takes no programs with functions of their own")
    for oracle in map(find_oracle, config.oracles):
        if refusal := oracle.refusal(compiler):
            raise Usage(f"--oracle {oracle.name}: {refusal}")
        if oracle.compares_devices and config.device == "cpu":
            raise Usage(f"--oracle {oracle.name} compares another device with the CPU: give --device cuda with it")
        if oracle.least > 1 and config.extract == SEED_GRAPH:
            raise Usage(f"--oracle {oracle.name} compares variants, and --extract {SEED_GRAPH} makes none")
