"""Run a campaign for the command line, with its summary and exit status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape

from polyjuice import compilers
from polyjuice.campaign import coverage, loop, models
from polyjuice.campaign.config import Config
from polyjuice.campaign.seeds import Seeds
from polyjuice.campaign.store import Store, writers
from polyjuice.cli import advice
from polyjuice.cli.common import DEFECT, FINDINGS, INTERRUPTED, OK, USAGE, stderr
from polyjuice.cli.summary import CampaignProgress
from polyjuice.egraph import Rule
from polyjuice.execution.space import NoSpace


def run(config: Config, rules: Sequence[Rule], seeds: Seeds, store: Store, version: str) -> tuple[int, dict[str, Any]]:
    """Run the cases and the triage. Return the exit status and the summary."""
    status = None
    store.set_meta("version", version)
    if others := writers(store.folder):
        advised = "who does so can make Polyjuice run their code"
        stderr.print(f"polyjuice: {escape(str(store.folder))}: {others}, and {advised}")
    try:
        with CampaignProgress(config, store) as live:
            loop.run(config, rules, store, live)
    except KeyboardInterrupt:
        stderr.print(f"interrupted; continue with: polyjuice fuzz --resume {store.folder}")
        status = INTERRUPTED
    except NoSpace as problem:
        stderr.print(f"polyjuice: {escape(f'{problem} and continue with: polyjuice fuzz --resume {store.folder}')}")
        status = USAGE
    except RuntimeError as error:
        stderr.print(f"polyjuice: {escape(str(error))}")
        status = DEFECT
    counts = store.summary()
    spent = store.spent(config.workers)
    summary = {
        "compiler": config.compiler,
        "version": version,
        "seed": config.seed,
        **counts,
        **({"accepted": store.accepted()} if config.disruptive else {}),
        **({"sizes": sizes} if (sizes := store.sizes()) else {}),
        **_coverage(config, store, version),
        **_tested(config, rules, seeds, store),
        "elapsed_s": round(spent["elapsed_s"], 2),
        **({"probe_s": round(spent["probe_s"], 2)} if spent["probe_s"] >= 0.005 else {}),
        "pairs_per_second": _rate(counts["pairs"], spent["busy_s"]),
        "programs_per_second": _rate(counts["programs"], spent["busy_s"]),
        "out": str(store.folder),
    }
    if counts["tested"] and (silent := summary.get("rules_never_fired")):
        stderr.print(f"polyjuice: {escape(advice.warning(silent, counts['tested']))}")
    return (_status(counts, advice.too_little(counts, store, config)) if status is None else status), summary


def _tested(config: Config, rules: Sequence[Rule], seeds: Seeds, store: Store) -> dict[str, Any]:
    """The user's own rules that never fired, and the coverage of the user's own models."""
    fired = store.rules()
    silent = advice.unfired(rules, config, fired)
    compiler = compilers.find(config.compiler)
    own = [] if seeds.generated else models.covered(seeds, store.programs(), compiler, len(fired))
    return ({"rules_never_fired": silent} if silent else {}) | ({"models": own} if own else {})


def _rate(count: int, busy_s: float) -> float:
    """The count per second of the time in which cases ran.

    That is the wall-clock time that processes spent on cases, divided by the number of processes. It includes making
    graphs, compiling, running and judging. It excludes confirming findings, triage, probing the compiler for support,
    and waiting for work.
    """
    return round(count / busy_s, 3) if busy_s > 0 else 0.0


def _coverage(config: Config, store: Store, version: str) -> dict[str, Any]:
    """The coverage of small programs, if any ran."""
    found = store.covered()
    return {"coverage": coverage.of_campaign(found, config, version)} if found else {}


def _status(counts: dict[str, Any], too_little: str) -> int:
    """The exit status of a campaign that was not interrupted; ``too_little`` says why it tested too little, if so."""
    if too_little:
        stderr.print(escape(f"polyjuice: {too_little}"))
    if counts["unsound_variants"] or counts["defects"]:
        return DEFECT
    if counts["raw_findings"]:
        return FINDINGS
    return USAGE if too_little else OK
