"""How often the conditions of published bugs occur in generated programs. No compiler runs.

    python benchmarks/published/proxy.py                             both strategies, 5,000 programs of each (minutes)
    python benchmarks/published/proxy.py --seeds small               one strategy; the counts of the other stay
    python benchmarks/published/proxy.py --programs 1000 --seed 7    fewer, or other programs

A blind campaign cannot find a bug whose conditions occur in none of its programs. This table tells so in minutes, where
`run.py` takes hours. It covers the open half of the entries (see ``conditions.py``), and goes to
``artifacts/published-proxy.md`` and ``artifacts/published-proxy.json``.

Programs are the seed graphs of a campaign with default options, of all operators of the table. Inputs are drawn by the
profiles that are on by default for the entry's compiler, and choices of form as for that compiler. Variants, and what
the compiler does not take, are left out of account.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from polyjuice import compilers, pipeline
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import load, partners
from polyjuice.execution import Artifact
from polyjuice.inputs import Plan, draw, make_inputs, plans, usual_profiles
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph
from polyjuice.lower import DRAWN_OPSET, Unlowerable

sys.path.insert(0, str(Path(__file__).parent))
import entry as entries
from conditions import CONDITIONS
from program import Program

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "artifacts" / "published-proxy.json"

STRATEGIES = ("default", "small")
PROGRAMS = 5000

Counts = Mapping[str, Mapping[str, Any]]
"""For each strategy the number of ``programs``, and by the keys of entries how many of them ``met`` the conditions."""

_HEAD = """# Published bugs: how often their conditions occur

Made by `python benchmarks/published/proxy.py`. Each row is a bug of the open half of `benchmarks/published`. The last
columns say how many generated programs meet its conditions, by strategy. A program that meets them need not show the
bug: the compiler may not take it, and other results may hide it.
"""


def main() -> None:
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
    """By the key of each entry, how many programs of a strategy meet its conditions."""
    met = Counter(dict.fromkeys(CONDITIONS, 0))
    for name, program in generated(entries.COMPILERS, strategy, programs, seed):
        conditions = ((key, c.occurs) for key, c in CONDITIONS.items() if key.startswith(f"{name}/"))
        met.update(key for key, occurs in conditions if occurs and occurs(program))
    return dict(met)


def generated(names: Sequence[str], strategy: str, programs: int, seed: int) -> Iterator[tuple[str, Program]]:
    """The seed graphs of campaigns on compilers, as programs for each; ``programs`` of every campaign.

    Campaigns whose graphs are equally large have the same ones.
    """
    rules = load()
    chosen = {name: compilers.find(name) for name in names}
    seeds = {n: Seeds([strategy], n, seed, partners=partners(rules)) for n in {c.nodes for c in chosen.values()}}
    rulesets = {rule.ruleset for rule in rules}
    for index in range(programs):
        graphs = {nodes: source.graph(index, 0) for nodes, source in seeds.items()}
        for name, compiler in chosen.items():
            graph, key = graphs[compiler.nodes], f"{seed}/{index}/0"
            inputs = partial(_inputs, graph, key, plans(usual_profiles(compiler), rulesets))
            yield name, Program(graph, inputs, partial(_artifact, graph, key, compiler))


def _inputs(graph: Graph, key: str, among: Sequence[Plan]) -> list[Sequence[np.ndarray]]:
    """A set of inputs for each profile of the case's plan, but those on which the graph has no value."""
    plan = draw(among, key)
    found: list[Sequence[np.ndarray]] = []
    for profile in plan.profiles_of(graph):
        try:
            found.append(make_inputs(graph, profile, key, (), plan.large))
        except EvaluationError:
            continue
    return found


def _artifact(graph: Graph, key: str, compiler: CompilerInfo) -> Artifact | None:
    try:
        return pipeline.lower(graph, key, pipeline.target_of(compiler, DRAWN_OPSET))
    except Unlowerable:
        return None


def as_markdown(counts: Counts) -> str:
    """The table: a row for each entry, a column for each strategy."""
    told = [strategy for strategy in STRATEGIES if strategy in counts]
    heads = [f"{strategy}, of {counts[strategy]['programs']:,}" for strategy in told]
    lines = [_HEAD, f"| bug | conditions | {' | '.join(heads)} |", "|---" * (2 + len(told)) + "|"]
    for entry in entries.read_all():
        if condition := CONDITIONS.get(entry.key):
            lacks = condition.lacks()
            cells = [_cell(counts[strategy]["met"].get(entry.key), lacks) for strategy in told]
            lines.append(f"| [{entry.key}]({entry.link}) | {condition.words} | {' | '.join(cells)} |")
    possible = [key for key, condition in CONDITIONS.items() if not condition.lacks()]
    occur = [sum(bool(counts[strategy]["met"].get(key)) for key in possible) for strategy in told]
    lines.append(f"| occur at all | | {' | '.join(f'{number} of {len(CONDITIONS)}' for number in occur)} |")
    return "\n".join(lines) + "\n"


def _cell(met: int | None, lacks: str) -> str:
    if lacks:
        return f"cannot occur: {lacks}"
    return "-" if met is None else f"{met:,}"


if __name__ == "__main__":
    main()
