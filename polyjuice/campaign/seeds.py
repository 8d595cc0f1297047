"""Where a campaign's seed graphs come from: a generation strategy, or models taken in turn."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyjuice import given
from polyjuice.campaign import sizes
from polyjuice.campaign.kinds import GENERATING, SMALL, STATEMENTS, Kind, Kinds
from polyjuice.campaign.sizes import AtSizes
from polyjuice.execution import Limits
from polyjuice.formats import FormatError
from polyjuice.generate import DUE_STRATEGIES, Turn, check_installed, generate
from polyjuice.generate.due import Due
from polyjuice.given import UserModel, callables, files, symbolic
from polyjuice.given.sandbox import Ended, Sandbox
from polyjuice.given.symbolic import Sizes
from polyjuice.inputs import settle
from polyjuice.ir import Graph, prune
from polyjuice.ops import TABLE, Accepts, Op, without_complex

IMPORTED = "imported"
"""The folder of a campaign that holds what Torch and TensorFlow made."""

_UNREADABLE = ".txt"
"""How the name of the file ends that says why a model cannot be read."""

_SIZES = ".sizes.json"
"""How the name of the file ends that holds the sizes at which an ONNX model is tested."""

_CALLABLE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class Seeds:
    """The seed graph of every case, from the campaign's seed and the case's index alone.

    A source is a strategy's name (see :mod:`polyjuice.campaign.kinds`), or a model: an ONNX file, an exported Torch
    program (``.pt2``), or ``module:callable`` for one that returns a Torch module, or a TensorFlow function, and its
    inputs. Models are taken in turn. One with symbolic sizes has others each time (see
    :mod:`polyjuice.campaign.sizes`).
    """

    def __init__(
        self,
        sources: Sequence[str],
        nodes: int,
        seed: int,
        campaign: Path | None = None,
        partners: Mapping[str, Sequence[str]] | None = None,
        operators: Sequence[Op] | None = None,
        timeout_s: float = Limits.compile_s,
        kinds: Kinds | None = None,
    ) -> None:
        """Read the models, if there are any; those that the folder of a campaign holds (see ``keep``) from there.

        A model is read in a process of its own, within ``timeout_s``. ``problems`` says of those that ended it how, by
        their number. (A campaign that has begun has read its ONNX files once: its processes do so by themselves.)
        ``partners`` and ``operators`` are for generated graphs (see ``generate``), and so are ``kinds``. Raises
        FormatError where a model is not valid, or where none is left; ValueError for an unknown source, and
        SolverMissing.
        """
        self._nodes = nodes
        self._partners = partners
        self._operators = operators
        self._seed = seed
        self._kinds = kinds or Kinds(sources[0])
        self.generated = len(sources) == 1 and sources[0] in GENERATING
        if self.generated:
            check_installed(sources[0])
        self._models: list[AtSizes] = []
        self._sources: list[str] = []
        self._imported: dict[int, list[UserModel]] = {}
        self._sizes: dict[int, Sequence[Sizes]] = {}
        self.problems = _problems(campaign / IMPORTED) if campaign else {}
        with Sandbox(timeout_s) as sandbox:
            for number, source in enumerate(() if self.generated else sources):
                if number not in self.problems:
                    try:
                        self._models.append(self._read(number, source, sandbox, campaign))
                    except Ended as end:
                        self.problems[number] = str(end)
                    else:
                        self._sources.append(source)
        if not self.generated and not self._models:
            raise FormatError(next(iter(self.problems.values())))

    def _read(self, number: int, source: str, sandbox: Sandbox, campaign: Path | None) -> AtSizes:
        """A model at its sizes. Raises FormatError, Ended, ValueError."""
        folder, key = campaign and campaign / IMPORTED, f"{self._seed}/{number}"
        if kept := folder and files.load(folder, str(number)):
            return AtSizes([p.sizes for p in kept], kept.__getitem__)
        if _is_imported(source):
            programs = self._imported[number] = sandbox.call(source, callables.at_sizes, source, key)
            return AtSizes([p.sizes for p in programs], programs.__getitem__)
        if not Path(source).is_file():
            raise ValueError(
                f"--seeds {source}: neither a strategy ({', '.join(GENERATING)}) nor a model file nor module:callable"
            )
        path, stored = Path(source), folder and folder / f"{number}{_SIZES}"
        model = given.load_onnx(path)
        if stored and stored.is_file():
            self._sizes[number] = json.loads(stored.read_text("utf-8"))
        elif stored and not symbolic.symbols(model.model):
            self._sizes[number] = [{}]
        else:
            self._sizes[number] = sandbox.call(source, _chosen, path, key)
        return AtSizes.of_onnx(model, self._sizes[number])

    def keep(self, campaign: Path) -> None:
        """Write what Torch and TensorFlow made to a campaign's folder, and which models cannot be read.

        A callable may make other weights when it is called again. The sizes of ONNX models are written, too: it takes
        time to find them. Raises FormatError where an ONNX file cannot hold it.
        """
        for number, programs in self._imported.items():
            files.save(campaign / IMPORTED, str(number), programs)
        for number, chosen in self._sizes.items():
            if any(chosen):
                (campaign / IMPORTED).mkdir(exist_ok=True)
                (campaign / IMPORTED / f"{number}{_SIZES}").write_text(json.dumps(chosen), "utf-8")
        for number, problem in self.problems.items():
            (campaign / IMPORTED).mkdir(exist_ok=True)
            (campaign / IMPORTED / f"{number}{_UNREADABLE}").write_text(problem, "utf-8")

    def program(self, index: int) -> UserModel | None:
        """The model of a case, one of those that can be read, at its sizes there; None where graphs are generated."""
        if not self._models:
            return None
        turn, number = divmod(index, len(self._models))
        model = self._models[number]
        return model[turn % len(model)]

    def models(self) -> list[tuple[str, UserModel]]:
        """Every model that can be read, with its source, at the sizes of its first case."""
        return [(source, model[0]) for source, model in zip(self._sources, self._models, strict=True)]

    def kind(self, index: int) -> Kind:
        """How the seed graph of a case is generated, and whether it is tested alone."""
        return self._kinds.of(index)

    def due(self, index: int) -> Due | None:
        """What is due in the case; None where the strategy goes by something else."""
        if not self.generated or self.kind(index).strategy not in (SMALL, STATEMENTS):
            return None
        return self._turn(index).due(without_complex(self._operators or TABLE.values()), 1)[0]

    def graph(self, index: int, attempt: int, accepts: Accepts | None = None) -> Graph:
        """The seed graph of a case; further attempts give others, where graphs are generated (see ``generate``).

        A generated graph has inputs on which nothing in it is NaN or infinite, wherever such could be found.
        """
        if program := self.program(index):
            return program.graph
        key = f"{self._seed}/{index}/{attempt}"
        strategy = self.kind(index).strategy
        turn = self._turn(index) if strategy in DUE_STRATEGIES else None
        graph = generate(self._nodes, key, accepts, self._partners, strategy, turn, self._operators)
        return prune(settle(graph, key))  # a stored graph has no constant that nothing reads

    def _turn(self, index: int) -> Turn:
        return Turn(self._seed, self._kinds.number(index))


def forget(campaign: Path) -> None:
    """Delete what ``Seeds.keep`` wrote, and the folder that it wrote to if nothing else is in it."""
    folder = campaign / IMPORTED
    for path in [*folder.glob(f"[0-9]*{_UNREADABLE}"), *folder.glob(f"[0-9]*{_SIZES}")]:
        path.unlink()
    files.remove(folder)


def _is_imported(source: str) -> bool:
    return source.endswith(".pt2") if Path(source).is_file() else bool(_CALLABLE.fullmatch(source))


def _problems(folder: Path) -> dict[int, str]:
    """The models that a campaign could not read, by their number, and why."""
    return {int(path.stem): path.read_text("utf-8") for path in sorted(folder.glob(f"[0-9]*{_UNREADABLE}"))}


def _chosen(path: Path, key: str) -> list[Sizes]:
    return sizes.chosen(given.load_onnx(path), key)
