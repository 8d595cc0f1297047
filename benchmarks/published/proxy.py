"""Count how often the conditions of published bugs occur in generated programs. No compiler runs.

    python benchmarks/published/proxy.py                             all strategies, 5,000 programs of each (minutes)
    python benchmarks/published/proxy.py --seeds small               one strategy; the others keep their counts
    python benchmarks/published/proxy.py --programs 1000 --seed 7    fewer, or other programs

A blind campaign cannot find a bug whose conditions occur in none of its programs. This table shows that in minutes,
where `run.py` takes hours. It covers the open half of the entries (see ``conditions.py``), and goes to
``artifacts/published-proxy.md`` and ``artifacts/published-proxy.json``.

The programs are the seed graphs of a campaign with default options and all operators of the table. Their inputs and
lowering choices are those of their cases. Variants are left out, and so is the question which operators the compiler
takes. The first column is from campaigns before they had small programs: that was counted once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from polyjuice import compilers
from polyjuice.campaign.clock import Clock
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import MIXED
from polyjuice.campaign.preparation import Preparation, Skip
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import Rule, load
from polyjuice.execution import Artifact
from polyjuice.inputs import usual_profiles
from polyjuice.ir import Graph, TensorType
from polyjuice.lower.forms import Form
from polyjuice.ops import Op
from polyjuice.oracles import Case
from polyjuice.support import Support

sys.path.insert(0, str(Path(__file__).parent))
import entry as entries
from conditions import CONDITIONS
from program import Program

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "artifacts" / "published-proxy.json"

STRATEGIES = ("default", "small", MIXED)

BEFORE = "default, before"
"""Campaigns before they had small programs, with one set of inputs of each profile."""

PROGRAMS = 5000

Counts = Mapping[str, Mapping[str, Any]]
"""For each strategy the number of ``programs``, and how many of them ``met`` the conditions, by the entry's key."""

_HEAD = """# Published bugs: how often their conditions occur

Made by `python benchmarks/published/proxy.py`. Each row is a bug of the open half of `benchmarks/published`. The last
columns say how many generated programs meet its conditions, by strategy. A program that meets them need not show the
bug: the compiler may not support it, and other results may hide it.
"""


def main() -> None:
    """Count the programs of the strategies, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", nargs="+", choices=STRATEGIES, default=STRATEGIES, help="the strategies")
    parser.add_argument("--programs", type=int, default=PROGRAMS, help="how many of each strategy")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the campaigns")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the counts are kept, beside the table")
    options = parser.parse_args()
    results: Path = options.results
    counts = json.loads(results.read_text("utf-8")) if results.exists() else {}
    for strategy in options.seeds:
        counts[strategy] = {"programs": options.programs, "met": count(strategy, options.programs, options.seed)}
    results.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n", "utf-8")
    text = as_markdown(counts)
    results.with_suffix(".md").write_text(text, "utf-8")
    print(text)


def count(strategy: str, programs: int, seed: int) -> dict[str, int]:
    """Count the programs of a strategy that meet each entry's conditions, by the entry's key."""
    met = Counter(dict.fromkeys(CONDITIONS, 0))
    for name, program in generated(entries.COMPILERS, strategy, programs, seed):
        conditions = ((key, c.occurs) for key, c in CONDITIONS.items() if key.startswith(f"{name}/"))
        met.update(key for key, occurs in conditions if occurs(program))
    return dict(met)


class Everything(Support):
    """The support of a compiler that takes all operators in all forms."""

    def __init__(self, compiler: CompilerInfo) -> None:
        self.compiler = compiler
        self.refusal = ""

    def takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Return true."""
        return True

    def lacked(self, forms: Sequence[Form]) -> list[str]:
        """Return no forms."""
        return []


def generated(names: Sequence[str], strategy: str, programs: int, seed: int) -> Iterator[tuple[str, Program]]:
    """Yield the first ``programs`` seed graphs of a campaign on each compiler, as programs, with the compiler's name.

    Campaigns with graphs of the same size, and with the same turns of kinds of cases, share their seed graphs.
    """
    rules = load()
    with TemporaryDirectory() as folder:
        cases = {name: preparation(compilers.find(name), strategy, seed, Path(folder), rules) for name in names}
        sources = {name: (c.nodes, c.fast, c.pack) for name in names for c in [compilers.find(name)]}
        for index in range(programs):
            graphs: dict[object, Graph] = {}
            for name, source in sources.items():
                if source not in graphs:
                    graphs[source] = cases[name].seed_graph(index)
                case = _Case(cases[name], index)
                yield name, Program(graphs[source], case.inputs, case.artifact)


def preparation(compiler: CompilerInfo, strategy: str, seed: int, folder: Path, rules: Sequence[Rule]) -> Preparation:
    """Return the preparation of a campaign with default options, as if the compiler took everything."""
    profiles = usual_profiles(compiler)
    config = Config(compiler=compiler.name, seeds=(strategy,), seed=seed, nodes=compiler.nodes, profiles=profiles)
    return Preparation(config, folder, rules, compiler, Everything(compiler), Clock())


class _Case:
    """A case with its seed graph alone, prepared on first use."""

    def __init__(self, cases: Preparation, index: int) -> None:
        self._cases, self._index = cases, index

    def inputs(self) -> list[Sequence[np.ndarray]]:
        """Return the sets of inputs; empty if the case is skipped."""
        return [one.arrays for one in self._prepared.sets] if self._prepared else []

    def artifact(self) -> Artifact | None:
        """Return the graph as a program; None if the case is skipped."""
        return self._prepared.programs[0].artifact if self._prepared else None

    @cached_property
    def _prepared(self) -> Case | None:
        with suppress(Skip):
            return self._cases.case(self._index, 0, rewrite=False)
        return None


def as_markdown(counts: Counts) -> str:
    """Return the table: a row for each entry, a column for each strategy."""
    strategies = [strategy for strategy in (BEFORE, *STRATEGIES) if strategy in counts]
    heads = [f"{strategy}, of {counts[strategy]['programs']:,}" for strategy in strategies]
    lines = [_HEAD, f"| bug | conditions | {' | '.join(heads)} |", "|---" * (2 + len(strategies)) + "|"]
    for entry in entries.read_all():
        if condition := CONDITIONS.get(entry.key):
            cells = [_cell(counts[strategy]["met"].get(entry.key)) for strategy in strategies]
            lines.append(f"| [{entry.key}]({entry.link}) | {condition.words} | {' | '.join(cells)} |")
    occur = [sum(bool(counts[strategy]["met"].get(key)) for key in CONDITIONS) for strategy in strategies]
    lines.append(f"| occur at all | | {' | '.join(f'{number} of {len(CONDITIONS)}' for number in occur)} |")
    return "\n".join(lines) + "\n"


def _cell(met: int | None) -> str:
    return "-" if met is None else f"{met:,}"


if __name__ == "__main__":
    main()
