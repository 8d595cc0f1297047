"""Coverage: the share of possible operators, element types and factor levels that a campaign's small programs ran.

A program covers a pair (operator, element type of its first operand) for each of its operators. With each pair it
covers levels of the factors of :mod:`polyjuice.generate.due`. All operators and levels in the program count, even those
that were not due in its case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from polyjuice import compilers
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import layouts, settings, versions
from polyjuice.frameworks.lowering import opset_of
from polyjuice.generate.small import SIZE_CLASSES, size_classes
from polyjuice.inputs import DISTRIBUTIONS
from polyjuice.ir import Graph, Node, TensorType
from polyjuice.ops import Op, matching
from polyjuice.oracles import Program
from polyjuice.support import refused

TYPE = "type"
"""The factor that has one level: it counts the pair (operator, element type) itself."""

Tuple = tuple[str, str, str, str]
"""The qualified name of an operator, the element type of its first operand, a factor, and a level of that factor."""


def covered(programs: Iterable[Program], distribution: str) -> set[Tuple]:
    """Return the tuples that these programs cover. ``distribution`` is that of their first input's values."""
    found: set[Tuple] = set()
    for program in programs:
        graph, reads = program.graph, _readers(program.graph)
        layouts_of = dict(zip(graph.inputs, _layouts(program), strict=False))
        for node in graph.nodes:
            if not node.opaque:
                key = node.qualified, graph.types[node.inputs[0]].dtype
                found |= {(*key, *level) for level in _levels(node, program, reads, layouts_of, distribution)}
    return found


def _levels(
    node: Node,
    program: Program,
    readers: Mapping[str, Collection[str]],
    layouts: Mapping[str, str],
    distribution: str,
) -> Iterator[tuple[str, str]]:
    graph = program.graph
    first = graph.types[node.inputs[0]]
    yield TYPE, ""
    yield from (("size", name) for name in size_classes(first.shape))
    yield from (("neighbour", name) for output in node.outputs for name in readers.get(output, ()))
    yield from (("setting", name) for name in _settings(node, first, program))
    for name in node.inputs:
        if name in layouts:
            yield "layout", layouts[name]
        if name in graph.inputs[:1] and graph.types[name].rank and graph.types[name].size:
            yield "distribution", distribution


def _readers(graph: Graph) -> Mapping[str, Collection[str]]:
    readers = defaultdict(set)
    for node in graph.nodes:
        for name in node.inputs:
            readers[name].add(node.qualified)
    return readers


def _layouts(program: Program) -> Iterator[str]:
    usual = layouts(program.artifact.format)[:1] * len(program.graph.inputs)
    if usual:
        yield from (layout.split(":")[0] for layout in program.artifact.setup.get("layouts") or usual)


def _settings(node: Node, first: TensorType, program: Program) -> Iterator[str]:
    format, setup = program.artifact.format, program.artifact.setup
    known = versions(format, node.domain, node.op, first.dtype)
    if known is None:
        switched = [name for name in ("freezing", "dynamic") if setup.get(name)]
        yield from [*([setup["mode"]] if "mode" in setup else []), *switched] or settings(format)[:1]
        return
    opsets = [opset for opset in map(opset_of, program.artifact.forms) if opset]
    yield from (str(since) for since, those in known.items() if any(opset in those for opset in opsets))


def of_campaign(found: Iterable[Tuple], config: Config, version: str) -> dict[str, Any]:
    """Return the coverage report of a campaign, without the operators that this compiler version has refused."""
    compiler = compilers.find(config.compiler)
    known = refused(compiler, version, config.opset)
    return report(found, matching(config.only_operators), compiler.format, config.opset, known)


def report(
    found: Iterable[Tuple],
    operators: Sequence[Op],
    format: str,
    opset: int = 0,
    refused: Collection[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Return, by factor, the number of covered tuples, the number of possible ones, and the share.

    Possible are all levels of each factor with each pair of an operator and an element type that it takes, or was met
    with. Pairs that the compiler has ``refused`` are left out. ``opset`` is that of all ONNX models, or 0. The count
    ignores that some operators cannot have some levels, such as the layout of a four-dimensional tensor.
    """
    found = set(found)
    met = {(op, dtype) for op, dtype, *_ in found}
    by_name = {op.qualified: op for op in operators}
    every = {(name, dtype): op for name, op in by_name.items() for dtype in op.types[op.variable(0)]}
    every |= {pair: by_name[pair[0]] for pair in met if pair[0] in by_name}
    pairs = {pair: op for pair, op in every.items() if pair in met or pair not in refused}
    levels = {
        TYPE: len(pairs),
        "size": len(pairs) * len(SIZE_CLASSES),
        "neighbour": len(pairs) * len(operators),
        "layout": len(pairs) * len(layouts(format)),
        "setting": sum(_setting_count(op, dtype, format, opset) for (_, dtype), op in pairs.items()),
        "distribution": len(pairs) * len(DISTRIBUTIONS),
    }
    counts = dict.fromkeys(levels, 0)
    for op, dtype, factor, level in found:
        counts[factor] += (op, dtype) in pairs and (factor != "neighbour" or level in by_name)
    return {
        factor: {"covered": counts[factor], "of": of, "share": round(counts[factor] / of, 4)}
        for factor, of in levels.items()
        if of
    }


def _setting_count(op: Op, dtype: str, format: str, opset: int) -> int:
    known = versions(format, op.domain, op.name, dtype)
    if known is None:
        return len(settings(format))
    return sum(not opset or opset in those for those in known.values())


def line(report: Mapping[str, Any]) -> str:
    """Return the report as one line of text."""
    pairs = report[TYPE]
    shares = ", ".join(f"{100 * one['share']:.1f} % of {name}s" for name, one in report.items() if name != TYPE)
    return f"{pairs['covered']:,} of {pairs['of']:,} pairs of operator and element type; combined with them, {shares}"
