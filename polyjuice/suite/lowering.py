"""Programs of a suite's formats: how a graph is lowered to one that every compiler of the format is to take."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.generate.instances import Signature, instance
from polyjuice.ir import Graph, TensorType
from polyjuice.lower import Unlowerable, lower
from polyjuice.ops import Op

_TRIES = 3


class Lowering:
    """Lowers graphs at an opset; ``compilers`` say which idioms their importers lack."""

    def __init__(self, opset: int, compilers: Iterable[CompilerInfo]) -> None:
        self._opset = opset
        self._lacks: dict[str, set[str]] = {}
        for info in compilers:
            self._lacks.setdefault(info.format, set()).update(info.lacks)
        self._spelled: dict[tuple[str, str], bool] = {}

    def lower(
        self, graph: Graph, format: str, by: LoweringChoices | str, repeated: Mapping[str, int] = MappingProxyType({})
    ) -> Artifact:
        """The program of a graph, by choices or a key that draws them. Raises Unlowerable."""
        lacks = sorted(self._lacks.get(format, ()))
        return lower(graph, format, by, repeated=repeated, opset=self._opset, lacks=lacks)

    def spells(self, format: str, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        """Whether the format can say an operator on such operands: what is known where no compiler is asked."""
        signature = Signature.of(op, operands, results)
        key = (format, str(signature))
        if key not in self._spelled:
            graphs = [instance(signature, random.Random(f"{signature} {attempt}")) for attempt in range(_TRIES)]
            self._spelled[key] = any(self._says(format, graph) for graph in graphs if graph)
        return self._spelled[key]

    def _says(self, format: str, graph: Graph) -> bool:
        try:
            lower(graph, format, 0, opset=self._opset)
        except Unlowerable:
            return False
        return True
