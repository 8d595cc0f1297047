"""Measure how much time packs save for small programs, and compare the results with those of programs alone.

    python benchmarks/packs.py [-n PROGRAMS] [--compiler NAME] [--sizes 8,16,32,64]

Prepares small programs without variants as a campaign does. Runs the same programs one by one, then in packs of each
size, in one run and by one worker. (Packs of size 1 share a translation unit, if the compiler can do that.) Prints for
each size the seconds, programs a second, compilations and rounds, and the programs whose results differ from those one
by one.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from polyjuice import packs, pipeline
from polyjuice.campaign.clock import Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.preparation import Preparation, Skip
from polyjuice.compilers import find
from polyjuice.egraph import load
from polyjuice.execution import Artifact, Outcome
from polyjuice.inputs import usual_profiles
from polyjuice.oracles import Case
from polyjuice.session import CompilerSession
from polyjuice.support import Support


class Counting(CompilerSession):
    """A session that counts the rounds and artifacts sent to the compiler."""

    rounds = compilations = 0

    def execute_together(self, packed: Sequence[tuple[Artifact, Any, int]]) -> list[Outcome | None]:
        """Execute packs, and count them."""
        self.rounds += 1
        self.compilations += len(packed)
        return super().execute_together(packed)


def main() -> None:
    """Run the programs one by one and in packs, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=96, help="programs (default: 96)")
    parser.add_argument("--compiler", default="inductor", help="default: inductor")
    parser.add_argument("--sizes", default="1,8,16,32,64", help="sizes of packs (default: 1,8,16,32,64)")
    parser.add_argument("--seed", type=int, default=0, help="the campaign's seed (default: 0)")
    options = parser.parse_args()
    compiler = find(options.compiler)
    sizes = [int(size) for size in options.sizes.split(",")]
    # A campaign draws one setting for each pack; with the largest size, packs of all sizes have the same programs.
    config = Config(
        compiler=compiler.name,
        seeds=("small",),
        seed=options.seed,
        nodes=compiler.nodes,
        extract="original",
        profiles=usual_profiles(compiler),
        pack=max(sizes),
    )
    with Counting(config.conditions, compiler) as session:
        cases = prepared(config, session, options.n)
        print(f"{compiler.name} {session.versions[compiler.name]}, {len(cases)} programs, {config.seed=}")
        began = time.perf_counter()
        alone = [pipeline.execute(case, session) for case in cases]
        one_by_one = time.perf_counter() - began
        print(f"{'one by one':12s} {one_by_one:7.1f} s {len(cases) / one_by_one:6.2f} a second", flush=True)
        for size in sizes:
            session.rounds = session.compilations = 0
            began = time.perf_counter()
            packed = packs.execute(cases, session, size)
            ran = [pipeline.execute(case, session) for case in packed.cases]
            seconds = time.perf_counter() - began
            others = [case.index for case, other in zip(ran, alone, strict=True) if not alike(case, other)]
            print(
                f"packs of {size:3d} {seconds:7.1f} s {len(cases) / seconds:6.2f} a second, "
                f"{one_by_one / seconds:5.2f} times as fast; {session.compilations} compilations in {session.rounds} "
                f"rounds; {len(packed.failed)} fail together alone; other results: {others or 'none'}",
                flush=True,
            )


def prepared(config: Config, session: CompilerSession, number: int) -> list[Case]:
    """Return the first cases of a campaign that can be prepared, ``number`` of them."""
    support = Support(session.compiler, session.worker(), config.opset)
    cases: list[Case] = []
    with tempfile.TemporaryDirectory() as folder:
        preparation = Preparation(config, Path(folder), load(), session.compiler, support, Clock())
        for index in count():
            if len(cases) == number:
                break
            try:
                cases.append(preparation.case(index, 0))
            except Skip:
                continue
    session.worker().start()
    return cases


def alike(case: Case, other: Case) -> bool:
    """Whether the programs of two cases have the same status, and results that are equal bit for bit."""
    one, two = case.programs[0].outcome, other.programs[0].outcome
    if one.status != two.status:
        return False
    pairs = zip(one.outputs, two.outputs, strict=True)
    return all(
        y.dtype == z.dtype and y.shape == z.shape and y.tobytes() == z.tobytes()
        for outputs, others in pairs
        for y, z in zip(outputs, others, strict=True)
    )


if __name__ == "__main__":
    main()
