"""Where a campaign's seed graphs come from: a generation strategy, or models taken in turn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyjuice import given
from polyjuice.generate import STRATEGIES, Turn, check_installed, generate
from polyjuice.given import UserModel, callables, files
from polyjuice.inputs import settle
from polyjuice.ir import Graph
from polyjuice.ops import Accepts, Op

IMPORTED = "imported"
"""The folder of a campaign that holds what Torch and TensorFlow made."""

_CALLABLE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Seeds:
    """The seed graph of every case, from the campaign's seed and the case's index alone.

    A source is a strategy's name, or a model: an ONNX file, an exported Torch program (``.pt2``), or
    ``module:callable`` for one that returns a Torch module, or a TensorFlow function, and its inputs.
    """

    def __init__(
        self,
        sources: Sequence[str],
        nodes: int,
        seed: int,
        campaign: Path | None = None,
        partners: Mapping[str, Sequence[str]] | None = None,
        operators: Sequence[Op] | None = None,
    ) -> None:
        """Read the models, if there are any; those that the folder of a campaign holds (see ``keep``) from there.

        ``partners`` and ``operators`` are for generated graphs (see ``generate``). Raises FormatError, ValueError for
        an unknown source, and SolverMissing.
        """
        self._nodes = nodes
        self._partners = partners
        self._operators = operators
        self._seed = seed
        self._strategy = sources[0]
        self.generated = len(sources) == 1 and self._strategy in STRATEGIES
        if self.generated:
            check_installed(self._strategy)
        self._programs: list[UserModel] = []
        self._imported: list[int] = []
        for number, source in enumerate(() if self.generated else sources):
            kept = files.load(campaign / IMPORTED, str(number)) if campaign else None
            if kept:
                self._programs.append(kept)
                continue
            if _is_imported(source):
                self._imported.append(number)
            self._programs.append(_read(source))

    def keep(self, campaign: Path) -> None:
        """Write what Torch and TensorFlow made to a campaign's folder.

        A callable may make other weights when it is called again. Raises FormatError where an ONNX file cannot hold it.
        """
        for number in self._imported:
            files.save(campaign / IMPORTED, str(number), self._programs[number])

    def program(self, index: int) -> UserModel | None:
        """The model of a case; None where graphs are generated."""
        return self._programs[index % len(self._programs)] if self._programs else None

    def graph(self, index: int, attempt: int, accepts: Accepts | None = None) -> Graph:
        """The seed graph of a case; further attempts give others, where graphs are generated (see ``generate``).

        A generated graph has inputs on which nothing in it is NaN or infinite, wherever such could be found.
        """
        if program := self.program(index):
            return program.graph
        key = f"{self._seed}/{index}/{attempt}"
        turn = Turn(self._seed, index) if self._strategy == "default" else None
        graph = generate(self._nodes, key, accepts, self._partners, self._strategy, turn, self._operators)
        return settle(graph, key)


def _is_imported(source: str) -> bool:
    return source.endswith(".pt2") if Path(source).is_file() else bool(_CALLABLE.fullmatch(source))


def _read(source: str) -> UserModel:
    if _is_imported(source):
        return callables.load(source)
    if not Path(source).is_file():
        raise ValueError(
            f"--seeds {source}: neither a strategy ({', '.join(STRATEGIES)}) nor a model file nor module:callable"
        )
    return given.load_onnx(Path(source))
