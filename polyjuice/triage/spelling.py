"""A graph spelled as a campaign spelled it, or is to."""

from __future__ import annotations

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact
from polyjuice.ir import Graph
from polyjuice.lower import lower
from polyjuice.oracles import Spelling


def spelled(graph: Graph, spelling: Spelling, compiler: CompilerInfo, opset: int) -> Artifact:
    """A graph in a compiler's format; ``opset`` is that of ONNX models, or DRAWN_OPSET. Raises Unlowerable."""
    return lower(
        graph,
        compiler.format,
        spelling.key,
        repeated=spelling.repeated,
        called=spelling.called,
        opset=opset,
        lacks=(*compiler.lacks, *spelling.avoided),
        unknown_sizes=spelling.unknown_sizes,
        said=spelling.said,
    )
