"""``polyjuice rewrite``: make equivalent models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from polyjuice import drawing, pipeline
from polyjuice.cli.common import JsonOption, own_fault, stdout
from polyjuice.cli.options import RulesOption, SeedOption, reads_models
from polyjuice.egraph import Rewriter, Variant, graph_windows, load, operator_count
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.forked import run_in_fork
from polyjuice.frameworks.onnx import graph_files
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError
from polyjuice.ir import Graph, GraphError
from polyjuice.ops import Accepts, Unsupported, entry
from polyjuice.oracles import InputSet
from polyjuice.wording import counted


@reads_models
def rewrite(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="An ONNX model.")],
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
        result = graph_windows.rewrite(Rewriter(load(rules or ())), graph, seed, "minmax", variants, sayable(graph))
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
