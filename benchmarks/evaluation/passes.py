"""Measure how much the passes differ that the two programs of a pair go through (PolyJuice, section 6.3, Table 4).

    python -m benchmarks.evaluation.passes --compiler tvm -n 1000       continues where it stopped
    python -m benchmarks.evaluation.passes --compiler tvm --visits 0    counts the passes of one pair (Figure 11)
    python -m benchmarks.evaluation.passes --table                      writes the tables of all stored results

Each seed graph is saturated once. Each strategy then extracts two programs from the e-graph, and the compiler compiles
both with a trace. A trace is the sequence of passes, with repeats: those that changed the program, and all that ran,
where the compiler tells. The *LCS difference* counts the passes of both sequences outside their longest common
subsequence. The *edit distance* is Levenshtein's. Let d be a strategy's distance for a seed graph, and r that of two
random extractions. The *improvement* is the mean of (d - r) / r over the seed graphs, without those where r is 0.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Indel, Levenshtein

from polyjuice import pipeline
from polyjuice.compilers import find
from polyjuice.egraph import Rewriter, load
from polyjuice.frameworks import registry
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, GraphError
from polyjuice.session import CompilerSession, Conditions
from polyjuice.support import Support

RESULTS = Path(__file__).resolve().parents[2] / "artifacts" / "evaluation"

BASELINE = "random"
STRATEGIES = ("minmax", "difference", "steps", BASELINE)
"""The strategies that are compared; `steps` is the fewest operators and the graph halfway."""

UNCHANGED = ": no change"
"""The end of a trace's entry for a pass that changed nothing."""

MEASURES = ("LCS, changed", "edit, changed", "LCS, ran", "edit, ran")

Distances = Sequence[int]
"""One distance for each of the measures."""


def main() -> None:
    """Measure the seed graphs that have no result yet, or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="tvm")
    parser.add_argument("-n", type=int, default=100, help="seed graphs")
    parser.add_argument("--nodes", type=int, default=10, help="operators of a seed graph")
    parser.add_argument("--generator", default="nnsmith", help="the strategy of the seed graphs")
    parser.add_argument("--visits", type=int, metavar="INDEX", help="only count the passes of one seed graph's pair")
    parser.add_argument("--table", action="store_true", help="only write the tables")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    if options.visits is not None:
        (row,) = measured(options.compiler, [options.visits], options.nodes, options.generator)
        (RESULTS / "visits.json").write_text(json.dumps({"compiler": options.compiler, **row}) + "\n", encoding="utf-8")
    elif not options.table:
        path = RESULTS / f"passes-{options.compiler}.jsonl"
        done = len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
        with path.open("a", encoding="utf-8") as file:
            for row in measured(options.compiler, range(done, options.n), options.nodes, options.generator):
                row.pop("visits", None)
                file.write(json.dumps(row) + "\n")
                file.flush()
    text = table(stored())
    (RESULTS / "passes.md").write_text(text, encoding="utf-8")
    print(text)


def measured(compiler_name: str, indices: Sequence[int], nodes: int, generator: str) -> Iterator[dict[str, Any]]:
    """Measure seed graphs; for each a row with the distances by strategy, or the reason why there are none."""
    compiler = find(compiler_name)
    target = pipeline.target_of(compiler, Conditions().opset)
    with (
        CompilerSession(Conditions(), compiler) as plain,
        CompilerSession(Conditions(), compiler, trace="passes") as session,
    ):
        support = Support(compiler, plain.worker(), Conditions().opset)
        rewriter = Rewriter(load())
        for index in indices:
            graph = generate(nodes, f"evaluation {index}", support.takes, strategy=generator)
            row: dict[str, Any] = {"index": index, "nodes": nodes, "generator": generator}
            try:
                saturated = rewriter.saturate([graph], index)
                pairs = {s: rewriter.extract(saturated, 0, index, s, 2, support.takes) for s in STRATEGIES}
                traces = {
                    strategy: [_trace(variant.graph, index, target, session) for variant in pair.variants]
                    for strategy, pair in pairs.items()
                }
            except (GraphError, EvaluationError, Unlowerable, Failed) as problem:
                yield row | {"problem": f"{type(problem).__name__}: {str(problem).splitlines()[0][:80]}"}
                continue
            row["operators"] = {s: [variant.operators for variant in pair.variants] for s, pair in pairs.items()}
            row["distances"] = {s: distances(*pair) for s, pair in traces.items()}
            yield row | {"visits": visits(*traces["minmax"])}


class Failed(Exception):
    """The compiler refused a program, or failed."""


def _trace(graph: Graph, index: int, target: Any, session: CompilerSession) -> Sequence[str]:
    """Compile a program in its plain form, and return its trace. Raises Failed, EvaluationError, Unlowerable."""
    drawn = pipeline.lower(graph, f"evaluation {index}", target).choices
    without_forms = registry.find(target.format).without_forms
    plain = without_forms.load()(drawn, target.opset) if without_forms else drawn
    artifact = pipeline.lower(graph, plain, target)
    outcome = session.execute(artifact, [make_inputs(graph, "normal", index)])
    if outcome.status != "ok":
        raise Failed(f"{outcome.status}: {pipeline.first_line(outcome)}")
    return outcome.trace


def distances(a: Sequence[str], b: Sequence[str]) -> Distances:
    """Return the distances of two traces, in the order of the measures."""
    changed = [_changed(trace) for trace in (a, b)]
    ran = [[name.removesuffix(UNCHANGED) for name in trace] for trace in (a, b)]
    return [measure.distance(*pair) for pair in (changed, ran) for measure in (Indel, Levenshtein)]


def visits(a: Sequence[str], b: Sequence[str]) -> dict[str, list[int]]:
    """Return how often each pass changed each of two programs."""
    counts = [Counter(_changed(trace)) for trace in (a, b)]
    return {name: [count[name] for count in counts] for name in sorted(counts[0] | counts[1])}


def _changed(trace: Sequence[str]) -> list[str]:
    return [name for name in trace if not name.endswith(UNCHANGED)]


def stored() -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the stored rows by compiler."""
    paths = {path.stem.removeprefix("passes-"): path for path in sorted(RESULTS.glob("passes-*.jsonl"))}
    return {name: [json.loads(line) for line in path.read_text("utf-8").splitlines()] for name, path in paths.items()}


def table(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the tables in Markdown."""
    lines = [
        "# How much the passes differ that two equal programs go through",
        "",
        "Written by `benchmarks/evaluation/passes.py`, which says what the words mean. Win, lose and tie count seed",
        "graphs. Standard error in brackets.",
        "",
    ]
    for compiler, rows in results.items():
        kept = [row for row in rows if "distances" in row]
        lines += [f"## {compiler}: {len(kept)} seed graphs of {kept[0]['nodes'] if kept else '?'} operators", ""]
        lines += ["| strategy | measure | mean distance | random | improvement | left out | win, lose, tie |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for strategy in (s for s in STRATEGIES if s != BASELINE):
            for number, measure in enumerate(MEASURES):
                lines.append(f"| {strategy} | {measure} | {' | '.join(_cells(kept, strategy, number))} |")
        lines += ["", f"{len(rows) - len(kept)} further graphs had a program that the compiler did not take.", ""]
    return "\n".join(lines)


def improvement(rows: Sequence[Mapping[str, Any]], strategy: str, measure: int) -> tuple[float, float, int]:
    """Return the improvement of a strategy over the baseline, its standard error, and the rows that it leaves out."""
    pairs = _pairs(rows, strategy, measure)
    shares = [(ours - random) / random for ours, random in pairs if random]
    error = statistics.stdev(shares) / math.sqrt(len(shares)) if len(shares) > 1 else 0.0
    return statistics.mean(shares) if shares else 0.0, error, len(pairs) - len(shares)


def _pairs(rows: Sequence[Mapping[str, Any]], strategy: str, measure: int) -> Sequence[tuple[int, int]]:
    found = [row["distances"] for row in rows if "distances" in row]
    return [(distances[strategy][measure], distances[BASELINE][measure]) for distances in found]


def _cells(rows: Sequence[Mapping[str, Any]], strategy: str, measure: int) -> list[str]:
    pairs = _pairs(rows, strategy, measure)
    mean, error, left_out = improvement(rows, strategy, measure)
    counts = [sum(a > b for a, b in pairs), sum(a < b for a, b in pairs), sum(a == b for a, b in pairs)]
    return [
        f"{statistics.mean([a for a, _ in pairs] or [0]):.1f}",
        f"{statistics.mean([b for _, b in pairs] or [0]):.1f}",
        f"{mean:+.0%} ({error:.0%})",
        str(left_out),
        ", ".join(map(str, counts)),
    ]


if __name__ == "__main__":
    main()
