"""Lower a graph to a program that every compiler of its format takes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from polyjuice import pipeline
from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.generate.instances import Signature, instance
from polyjuice.ir import Graph, TensorType
from polyjuice.lower import Unlowerable
from polyjuice.lower.forms import Form
from polyjuice.ops import Op
from polyjuice.support import Support

_TRIES = 3


class Lowering:
    """Lowers graphs at an opset, without what the importers of ``compilers`` lack.

    ``supports`` find out which forms those compilers take.
    """

    def __init__(self, opset: int, compilers: Iterable[CompilerInfo], supports: Iterable[Support] = ()) -> None:
        self._opset = opset
        self._compilers = tuple(compilers)
        self._supports = tuple(supports)
        self._spelled: dict[tuple[str, str], bool] = {}

    def lower(
        self, graph: Graph, format: str, by: LoweringChoices | str, repeated: Mapping[str, int] = MappingProxyType({})
    ) -> Artifact:
        """The program of a graph, by lowering choices or a key that draws them. Raises Unlowerable."""
        lacks = {name for info in self._compilers if info.format == format for name in info.lacks}

        def lacked(forms: Sequence[Form]) -> Sequence[str]:
            asked = (support for support in self._supports if support.compiler.format == format)
            return list(dict.fromkeys(name for support in asked for name in support.lacked(forms)))

        target = pipeline.Target(format=format, opset=self._opset, lacks=sorted(lacks), lacked=lacked)
        return pipeline.lower(graph, by, target, repeated=repeated)

    def spells(self, format: str, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the format can express an operator on such operands, for formats without a compiler to ask."""
        signature = Signature.of(op, operands, results)
        key = (format, str(signature))
        if key not in self._spelled:
            graphs = [instance(signature, random.Random(f"{signature} {attempt}")) for attempt in range(_TRIES)]
            self._spelled[key] = any(self._says(format, graph) for graph in graphs if graph)
        return self._spelled[key]

    def _says(self, format: str, graph: Graph) -> bool:
        try:
            pipeline.lower(graph, "0", pipeline.Target(format=format, opset=self._opset))
        except Unlowerable:
            return False
        return True
