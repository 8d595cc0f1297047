"""Where a campaign's seed graphs come from: a generation strategy, or model files taken in turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polyjuice import formats
from polyjuice.generate import STRATEGIES, generate
from polyjuice.ir import Graph


class Seeds:
    """The seed graph of every case, from the campaign's seed and the case's index alone."""

    def __init__(self, sources: Sequence[str], nodes: int, seed: int) -> None:
        """Read the model files, if there are any. Raises FormatError, or ValueError for an unknown source."""
        self._nodes = nodes
        self._seed = seed
        self.generated = len(sources) == 1 and sources[0] in STRATEGIES
        self._graphs: list[Graph] = []
        if not self.generated:
            for source in sources:
                if not Path(source).is_file():
                    raise ValueError(f"--seeds {source}: neither a strategy ({', '.join(STRATEGIES)}) nor a model file")
                self._graphs.append(formats.load(Path(source)))

    def graph(self, index: int, attempt: int) -> Graph:
        """The seed graph of a case; further attempts give others, where graphs are generated."""
        if self._graphs:
            return self._graphs[index % len(self._graphs)]
        return generate(self._nodes, f"{self._seed}/{index}/{attempt}")
