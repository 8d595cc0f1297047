"""A graph spelled as a campaign spelled it, or is to."""

from __future__ import annotations

import random

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact
from polyjuice.ir import Graph
from polyjuice.lower import lower
from polyjuice.lower.choices import Chooser
from polyjuice.oracles import Spelling


def drawn(spelling: Spelling) -> Chooser:
    """Draws with a spelling's key, about values by the names that they had."""
    called, key = spelling.called, spelling.key
    return Chooser(lambda subject, value: random.Random(f"lower {key}: {subject} {called.get(value, value)}"))


def repeated(graph: Graph, spelling: Spelling) -> dict[str, int]:
    """The axes along which the inputs of a graph repeat."""
    names = {name: spelling.called.get(name, name) for name in graph.inputs}
    return {new: spelling.repeated[old] for new, old in names.items() if old in spelling.repeated}


def spelled(graph: Graph, spelling: Spelling, compiler: CompilerInfo, opset: int) -> Artifact:
    """A graph in a compiler's format; ``opset`` is that of ONNX models, or DRAWN_OPSET. Raises Unlowerable."""
    return lower(
        graph,
        compiler.format,
        drawn(spelling),
        repeated=repeated(graph, spelling),
        opset=opset,
        lacks=(*compiler.lacks, *spelling.avoided),
        unknown_sizes=spelling.unknown_sizes,
        said=spelling.said,
    )
