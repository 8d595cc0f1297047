"""Probe the installed compilers, and write the answers as files that the package ships.

Run with ``make probes``, or as ``python scripts/probes.py [--minutes N] [NAME ...]``. For each compiler it runs the
probes of campaigns, then those of every operator in every element type and rank, until the time is up. A folder keeps
the answers: the next run goes on where this one stopped. Shipped answers that are still valid stay, and are not asked
again. ``--restamp`` keeps the shipped answers after a change of a compiler file that cannot change any, such as one of
its ``INFO``.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from polyjuice import probes, support
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import MIXED
from polyjuice.campaign.preparation import Preparation, Skip, Unsound
from polyjuice.campaign.schedule import Clock
from polyjuice.compilers import CompilerInfo, find, names
from polyjuice.egraph import load
from polyjuice.generate.instances import some_signatures
from polyjuice.inputs import allowed_rulesets, usual_profiles
from polyjuice.ops import TABLE
from polyjuice.session import CompilerSession
from polyjuice.support import Support

COMPILERS = tuple(name for name in names() if not find(name).uses_polyjuice)

CASES = 2000
"""The most cases to prepare: later cases need few new probes."""

SHARE = 0.8
"""The share of the time for cases, whose probes matter most if there is no time for all."""


def main() -> None:
    """Probe each compiler that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(COMPILERS)}; all unless given")
    parser.add_argument("--minutes", type=float, default=10, help="for each compiler")
    parser.add_argument(
        "--restamp", action="store_true", help="ask nothing: keep the answers after a change that cannot change any"
    )
    parser.add_argument("--folder", type=Path, default=Path(".probes"), help="where the answers are kept")
    options = parser.parse_args()
    if options.restamp:
        print(*(file for name in options.names or COMPILERS for file in probes.restamp(find(name))), sep="\n")
        return
    os.environ["XDG_CACHE_HOME"] = str(options.folder.resolve())
    os.nice(19)
    for name in options.names or COMPILERS:
        probe(find(name), 60 * options.minutes)


def probe(compiler: CompilerInfo, limit_s: float) -> None:
    """Probe one compiler, and write the answers to the package."""
    config = Config(compiler=compiler.name, seeds=(MIXED,), nodes=compiler.nodes, profiles=usual_profiles(compiler))
    began = time.monotonic()
    with CompilerSession(config.conditions, compiler) as session:
        worker = session.worker()
        worker.start()
        version = worker.info["version"]
        shipped = probes.shipped(compiler, version)
        asked = Support(compiler, worker)
        cases = _as_long(by_cases(config, compiler, asked), began + SHARE * limit_s)
        signatures = _as_long(by_signature(asked), began + limit_s)
    found = support.read(support.programs_file(compiler, version))
    known = shipped | {digest[: probes.DIGITS]: reason for digest, reason in found.items()}
    file = probes.ship(compiler, version, known)
    print(
        f"{compiler.name} {version}: {cases} cases, {signatures} operators and types, {len(known)} programs, "
        f"{file.stat().st_size} bytes, {time.monotonic() - began:.0f} s",
        flush=True,
    )


def by_cases(config: Config, compiler: CompilerInfo, asked: Support) -> Iterator[Callable[[], object]]:
    """Yield functions that each prepare a case of a campaign, which probes the compiler."""
    allowed = allowed_rulesets(config.profiles)
    rules = tuple(rule for rule in load() if rule.ruleset in allowed)
    with tempfile.TemporaryDirectory() as out:
        preparation = Preparation(config, Path(out), rules, compiler, asked, Clock())
        for index in range(CASES):
            yield lambda: preparation.case(index, 0)  # noqa: B023 - called at once


def by_signature(asked: Support) -> Iterator[Callable[[], object]]:
    """Yield functions that each probe an operator in an element type of its first operand, in random order."""
    pairs = [(op, dtype) for op in TABLE.values() if op.inputs for dtype in op.types[op.variable(0)]]
    random.Random(0).shuffle(pairs)
    for op, dtype in pairs:
        yield lambda: [asked.reason(one) for one in some_signatures(op, dtype).values()]  # noqa: B023


def _as_long(asking: Iterator[Callable[[], object]], end: float) -> int:
    """Call the functions until the time is up, and return how many were called."""
    count = 0
    for ask in asking:
        if time.monotonic() > end:
            break
        with suppress(Skip, Unsound):
            ask()
        count += 1
    return count


if __name__ == "__main__":
    sys.exit(main())
