"""Commands on graphs: ``generate`` and ``metrics`` on many of them, ``rewrite`` on one model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import track
from rich.table import Table

from polyjuice import drawing, pipeline
from polyjuice import generate as strategies
from polyjuice.campaign.config import SATURATION, Usage, budget, chosen
from polyjuice.cli.common import JsonOption, own_fault, stderr, stdout
from polyjuice.cli.options import OnlyOperatorOption, RulesOption, SeedOption, completion, reads_models, takes
from polyjuice.egraph import Budget, Rewriter, Variant, graph_windows, load, operator_count
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.forked import run_in_fork
from polyjuice.frameworks.onnx import graph_files
from polyjuice.generate import (
    DISRUPTED_STRATEGY,
    METRICS,
    PICKING_RATE,
    STRATEGIES,
    TABLE_OPERATORS,
    Broken,
    Measured,
    Memory,
    Metric,
    Suite,
    Turn,
    measure,
)
from polyjuice.generate.published.metrics import draw
from polyjuice.inputs import is_finite, make_inputs, settle
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, GraphError
from polyjuice.ops import TABLE, Accepts, Op, Unsupported, entry, matching, without_complex
from polyjuice.oracles import InputSet
from polyjuice.plugins import installable
from polyjuice.wording import counted

_ATTEMPTS = 100
"""The most graphs to try for one with a constraint to break."""


def generate(
    count: Annotated[int, typer.Option("-n", min=1, metavar="N", help="How many graphs.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for 00000.onnx, 00001.onnx ...")],
    strategy: Annotated[
        str,
        typer.Option(
            metavar="NAME", help=f"One of {', '.join(STRATEGIES)}.", autocompletion=completion(lambda: STRATEGIES)
        ),
    ] = "default",
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Operators in a graph.")] = 10,
    seed: SeedOption = 0,
    only_operator: OnlyOperatorOption = None,
    picking_rate: Annotated[
        float,
        typer.Option(
            min=0, max=1, metavar="RATE", help="How often an operand of isra is an existing value, if any fits."
        ),
    ] = PICKING_RATE,
    disruptive: Annotated[
        bool, typer.Option(help="Break one constraint of each hirgen graph; broken.json says which.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Generate seed graphs, as campaigns do, as ONNX files."""
    (strategy,) = chosen(strategy, list(STRATEGIES), "--strategy")
    if disruptive and strategy != DISRUPTED_STRATEGY:
        raise Usage(f"--disruptive is for {DISRUPTED_STRATEGY} graphs: give --strategy {DISRUPTED_STRATEGY} with it")
    if picking_rate != PICKING_RATE and strategy != "isra":
        raise Usage("--picking-rate is for isra graphs: give --strategy isra with it")
    strategies.check_installed(strategy)
    try:
        operators = matching(only_operator) if only_operator else without_complex(TABLE.values())
    except ValueError as error:
        raise Usage(str(error)) from None
    _make_folder(out)
    memory, suite, seconds, finite, invalid = Memory(), Suite(), 0.0, 0, 0
    broken: dict[str, Broken] = {}
    for number in track(range(count), "", console=stderr, transient=True, disable=as_json):
        key, name = f"{seed}/{number}", f"{number:05d}.onnx"
        began = time.perf_counter()
        if disruptive:
            broken[name] = _broken(nodes, key, memory, operators)
            graph = broken[name].graph
        else:
            held = Turn(seed, number) if strategy == "small" else memory
            graph = strategies.generate(
                nodes, key, strategy=strategy, memory=held, operators=operators, picking_rate=picking_rate
            )
        seconds += time.perf_counter() - began
        try:
            if not disruptive:
                graph = settle(graph, key)
                finite += is_finite(graph, key)
        except GraphError as error:
            invalid += 1
            stderr.print(f"polyjuice: {name} is invalid: {escape(str(error))}")
        graph_files.save(graph, out / name)
        suite.add(graph)
    if disruptive:
        described = {name: each.described() for name, each in broken.items()}
        (out / "broken.json").write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")
    ms, valid = round(1e3 * seconds / count, 3), count - invalid - len(broken)
    if as_json:
        summary = {"graphs": count, "valid": valid, "finite": finite, "ms_per_graph": ms, "metrics": suite.values()}
        print(json.dumps(summary))
    else:
        quality = f"for {finite} of them, inputs without NaN and infinity on the way are known"
        if disruptive:
            quality = "one operator of each breaks a constraint; broken.json names it"
        stdout.print(
            f"{counted(count, 'graph')} of strategy {strategy} in {escape(str(out))}, {ms} ms each; {quality}\n"
            f"next: polyjuice metrics {escape(str(out))}"
        )
    if invalid:
        own_fault(f"{invalid} of {counted(count, 'graph')} are invalid")


def _make_folder(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise Usage(f"--out {out}: the folder is not empty; name a new one")
    out.mkdir(parents=True, exist_ok=True)


def _broken(nodes: int, key: str, memory: Memory, operators: Sequence[Op]) -> Broken:
    """The next graph, if this one has no constraint that an operand can break. Raises Usage where no graph has one."""
    keys = (f"{key}/{attempt}" for attempt in range(_ATTEMPTS))
    graphs = (
        (k, strategies.generate(nodes, k, strategy=DISRUPTED_STRATEGY, memory=memory, operators=operators))
        for k in keys
    )
    for k, graph in graphs:
        if broken := strategies.disrupt(graph, k, memory):
            return broken
    raise Usage("--disruptive: these operators have no constraint that an operand could break; name others")


@reads_models
def metrics(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of ONNX models, with its subfolders.")],
    corpus: Annotated[
        str,
        typer.Option(
            metavar="table|seen|FILE",
            help="The operators to average over: all, those in the folder, or those that a file names, one a line.",
        ),
    ] = "table",
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw how the metrics grow (PNG, SVG or PDF).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how diverse the graphs in a folder are.

    The metrics are those of Isra, GenCoG, HirGen and NNSmith.
    """
    operators = _corpus(corpus)
    if plot and find_spec("matplotlib") is None:
        raise Usage(installable("--plot needs matplotlib: pip install 'polyjuice-fuzzer[report]'"))
    measured = measure(_graphs(folder), operators)
    if plot:
        try:
            draw(measured.growth, plot)
        except ValueError as error:  # a suffix that matplotlib does not know
            raise Usage(f"--plot {plot}: {error}") from None
    if as_json:
        print(json.dumps(_summary(measured, corpus)))
    else:
        _print(measured, corpus)


def _corpus(text: str) -> tuple[str, ...]:
    """The operator types that ``--corpus`` names; empty for "seen"."""
    if text == "table":
        return TABLE_OPERATORS
    if text == "seen":
        return ()
    try:
        lines = Path(text).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise Usage(f"--corpus {text}: no such file; give table, seen, or a file with an operator a line") from None
    except UnicodeDecodeError:
        raise Usage(f"--corpus {text}: not a text file; write the name of an operator on each line") from None
    names = tuple(line.strip() for line in lines if line.strip())
    if not names:
        raise Usage(f"--corpus {text}: the file is empty; write the name of an operator on each line")
    return names


def _graphs(folder: Path) -> Iterator[Graph]:
    """The graphs of a folder, one by one, sorted by path. Raises Usage where there are none, or one is broken."""
    if not folder.is_dir():
        raise Usage(f"{folder}: no such folder; give one that holds ONNX models")
    paths = sorted(path for path in folder.rglob("*.onnx") if path.is_file())
    if not paths:
        raise Usage(f"{folder}: holds no ONNX model (*.onnx); give a folder that does")
    for path in paths:
        try:
            yield graph_files.load(path)
        except graph_files.FormatError as error:
            raise Usage(f"{error}; fix that file or move it out of {folder}") from None


def _summary(measured: Measured, corpus: str) -> dict[str, Any]:
    return {
        "graphs": measured.graphs,
        "metrics": measured.metrics,
        "corpus": {"name": corpus, "operators": measured.operators, "outside": list(measured.outside)},
        "growth": [{"graphs": graphs, "metrics": values} for graphs, values in measured.growth],
        "instances": measured.instances,
    }


def _print(measured: Measured, corpus: str) -> None:
    table = Table("metric", "value", "per", "what it is", "from", box=None)
    for metric in METRICS:
        value = _shown(metric, measured.metrics[metric.name])
        table.add_row(metric.name, value, metric.per, metric.meaning, metric.source)
    stdout.print(table)
    stdout.print(
        escape(f"{counted(measured.graphs, 'graph')}; {counted(measured.operators, 'operator type')} ({corpus})")
    )
    if measured.outside:
        names = ", ".join(measured.outside)
        stdout.print(escape(f"{len(measured.outside)} of them were not in the corpus, and count too: {names}"))


def _shown(metric: Metric, value: float) -> str:
    if metric.share:
        return f"{100 * value:.3g} %"
    return f"{value:.0f}" if metric.per == "suite" else f"{value:.2f}"


@takes("saturation", SATURATION, budget)
@reads_models
def rewrite(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="An ONNX model.")],
    saturation: Budget,
    variants: Annotated[
        int, typer.Option(min=2, metavar="N", help="How many graphs, from the smallest to the largest.")
    ] = 2,
    rules: RulesOption = None,
    seed: SeedOption = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for min.onnx, max.onnx and step-*.onnx.")] = Path(
        "."
    ),
    draw: Annotated[bool, typer.Option("--draw", help="Draw the smallest and the largest graph as pair.svg.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rewrite an ONNX model into equivalent models.

    The first has the fewest operators, the last the most, the others lie between. They only have operators
    that ONNX can express, or that the model itself has.
    """
    if draw:
        drawing.check()
    graph = graph_files.load(model)
    try:
        result = graph_windows.rewrite(
            Rewriter(load(rules or ()), saturation), graph, seed, "minmax", variants, sayable(graph)
        )
        problems = run_in_fork(lambda: _differences(model, graph, result.variants, seed), str(model), "evaluated")
    except GraphError as error:
        own_fault(f"{model}: a rule made an ill-typed graph: {error}")
    out.mkdir(parents=True, exist_ok=True)
    for variant, problem in zip(result.variants, problems, strict=True):
        if problem:
            own_fault(f"{model}: the variant {variant.label} is not equal: {problem}")
        graph_files.save(variant.graph, out / f"{variant.label}.onnx")
    if draw:
        pair = {variant.label: variant.graph for variant in result.variants}
        (out / "pair.svg").write_text(_drawn(pair["min"], pair["max"]), encoding="utf-8")
    operators = {v.label: v.operators for v in result.variants}
    summary = {
        "ops_original": operator_count(result.seed),
        "ops_min": operators["min"],
        "ops_max": operators["max"],
        "enodes": result.enodes,
        "eclasses": result.eclasses,
        "iterations": result.iterations,
        "stopped_by": result.stopped_by,
        "rewrite_ms": round(1e3 * result.rewrite_s, 3),
        "extract_ms": round(1e3 * result.extract_s, 3),
        "rules": result.rules,
    }
    if as_json:
        print(json.dumps(summary))
        return
    stdout.print(
        f"{counted(operator_count(result.seed), 'operator')}: "
        f"{operators['min']} at least, {operators['max']} at most; "
        f"{counted(result.enodes, 'e-node')} in {counted(result.eclasses, 'e-class')} after "
        f"{counted(result.iterations, 'iteration')} ({result.stopped_by}); {counted(len(result.rules), 'rule')} fired"
    )
    for variant in result.variants:
        stdout.print(f"{counted(variant.operators, 'operator'):>16}  {out / (variant.label + '.onnx')}")
    if draw:
        stdout.print(f"drawing:  {out / 'pair.svg'}")


def _differences(model: Path, graph: Graph, variants: Sequence[Variant], seed: int) -> list[str]:
    """Return each variant's difference, "" for an equal one. Raises FormatError where the graph has no value."""
    sets = [InputSet(profile="normal", arrays=make_inputs(graph, "normal", seed))]
    try:
        return pipeline.equivalent(graph, [variant.graph for variant in variants], sets)
    except EvaluationError as error:
        raise FormatError(f"{model}: it has no value on random inputs: {error}") from None


def _drawn(smallest: Graph, largest: Graph) -> str:
    differ = drawing.differing(smallest, largest)
    sides = [
        drawing.Side(title="min", graph=smallest, differs=differ[0]),
        drawing.Side(title="max", graph=largest, differs=differ[1]),
    ]
    return drawing.draw(sides, "pair", "The graph with the fewest operators, and the one with the most", alone=True)


def sayable(graph: Graph) -> Accepts:
    """A filter for operators that ONNX has or can express by a function, and for the graph's own operators."""
    own = {op.qualified for node in graph.nodes if (op := entry(node))}
    return lambda op, operands, results: op.qualified in own or not isinstance(op.definition, Unsupported)
