"""The source of a campaign's seed graphs: a generation strategy, or models taken in turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from polyjuice.campaign.kinds import BATCH, GENERATING, SMALL, STATEMENTS, TARGETS, Kind, Kinds
from polyjuice.campaign.schedule import round_of
from polyjuice.campaign.sizes import chosen_of, reader
from polyjuice.execution import Limits
from polyjuice.frameworks import callables, symbolic
from polyjuice.frameworks import user_files as files
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx import user_program as onnx_program
from polyjuice.frameworks.sandbox import Ended, Sandbox
from polyjuice.frameworks.symbolic import Sizes
from polyjuice.frameworks.user_model import UserModel
from polyjuice.generate import DUE_STRATEGIES, MEMORY_STRATEGIES, Draft, Memory, Turn, check_installed, generate
from polyjuice.generate.due import Due
from polyjuice.generate.targeted import Aimed, Aims
from polyjuice.inputs import settle
from polyjuice.ir import Graph, prune
from polyjuice.ops import TABLE, Accepts, GraphBuilder, Op, without_complex
from polyjuice.stored_files import write_whole

IMPORTED = "imported"
"""The campaign's folder for the programs that were imported from Torch and TensorFlow."""

_UNREADABLE = ".txt"
"""The ending of files that record why a model cannot be read."""

_SIZES = ".sizes.json"
"""The ending of files that record the sizes at which an ONNX model is tested."""

_CALLABLE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


_AtSizes = tuple[int, Callable[[int], UserModel]]
"""A model: at how many combinations of sizes it is tested, and a function that returns its program at each of them."""


class Seeds:
    """The seed graph of every case, determined by the campaign's seed and the case's index.

    A source is a strategy's name (see :mod:`polyjuice.campaign.kinds`), or a model: an ONNX file, an exported Torch
    program (``.pt2``), or ``module:callable``. Such a callable returns a Torch module or a TensorFlow function, and its
    inputs. Models are taken in turn. A model with symbolic sizes gets other sizes each time (see
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
        aims: Aims | None = None,
    ) -> None:
        """Read the models, if there are any: from the campaign's folder if ``keep`` has stored them there.

        Each model is read in a separate process, within ``timeout_s``. If the process dies, ``problems`` has the reason
        under the model's number. (When a campaign has begun, its ONNX files have been read once. Its processes then
        read them without a further process.) ``partners``, ``operators``, ``kinds`` and ``aims`` are for generated
        graphs (see ``generate``). Raises FormatError if a model is not valid or none is left, ValueError for an unknown
        source, and SolverMissing.
        """
        self._nodes = nodes
        self._partners = partners
        self._operators = operators
        self._seed = seed
        self._kinds = kinds or Kinds(strategy=sources[0])
        self._aims = aims or Aims()
        self.acted: Mapping[int, Mapping[str, int]] = {}
        """For each round of cases: how often each part of the compiler acted in the rounds before."""
        self._memory, self._batch = Memory(), 0
        """What the graphs of the first batches hold, and the number of these batches."""
        self._drafted: dict[tuple[int, int], tuple[Graph, Draft]] = {}
        """The graphs of the next batch so far, by case and attempt."""
        self.generated = len(sources) == 1 and sources[0] in GENERATING
        if self.generated:
            check_installed(sources[0])
        self._models: list[_AtSizes] = []
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

    def _read(self, number: int, source: str, sandbox: Sandbox, campaign: Path | None) -> _AtSizes:
        """Return a model at its sizes. Raises FormatError, Ended, ValueError."""
        folder, key = campaign and campaign / IMPORTED, f"{self._seed}/{number}"
        if kept := folder and files.load(folder, str(number)):
            return len(kept), kept.__getitem__
        if _is_imported(source):
            programs = self._imported[number] = sandbox.call(source, callables.at_sizes, source, key)
            return len(programs), programs.__getitem__
        if not Path(source).is_file():
            raise ValueError(
                f"--seeds {source}: neither a strategy ({', '.join(GENERATING)}) nor a model file nor module:callable"
            )
        path, stored = Path(source), folder and folder / f"{number}{_SIZES}"
        model = onnx_program.load_onnx(path)
        if stored and stored.is_file():
            self._sizes[number] = json.loads(stored.read_text("utf-8"))
        elif stored and not symbolic.symbols(model.model):
            self._sizes[number] = [{}]
        else:
            self._sizes[number] = sandbox.call(source, chosen_of, path, key)
        return len(self._sizes[number]), reader(model, self._sizes[number])

    def keep(self, campaign: Path) -> None:
        """Write imported programs, sizes and unreadable models to a campaign's folder.

        A callable may make other weights when it is called again, and it takes time to find the sizes of ONNX models.
        Raises FormatError if an ONNX file cannot hold a program.
        """
        for number, programs in self._imported.items():
            files.save(campaign / IMPORTED, str(number), programs)
        for number, chosen in self._sizes.items():
            if any(chosen):
                _write(campaign / IMPORTED / f"{number}{_SIZES}", json.dumps(chosen))
        for number, problem in self.problems.items():
            _write(campaign / IMPORTED / f"{number}{_UNREADABLE}", problem)

    def program(self, index: int) -> UserModel | None:
        """Return the model of a case at its sizes; None if graphs are generated."""
        if not self._models:
            return None
        turn, number = divmod(index, len(self._models))
        count, read = self._models[number]
        return read(turn % count)

    def models(self) -> list[tuple[str, UserModel]]:
        """Return every readable model with its source, at the sizes of its first case."""
        return [(source, read(0)) for source, (_, read) in zip(self._sources, self._models, strict=True)]

    def kind(self, index: int) -> Kind:
        """Return how the seed graph of a case is generated, and whether it has no variants."""
        kind = self._kinds.of(index)
        return kind if kind.strategy != TARGETS or self._aims.every else Kind(SMALL, kind.alone)

    def due(self, index: int) -> Due | None:
        """Return the operator and element type due in a case; None if the strategy does not use them."""
        if not self.generated or self.kind(index).strategy not in (SMALL, STATEMENTS):
            return None
        return self._turn(index).due(without_complex(self._operators or TABLE.values()), 1)[0]

    def graph(self, index: int, attempt: int, accepts: Accepts | None = None) -> Graph:
        """Return the seed graph of a case. Each ``attempt`` has another one, if graphs are generated.

        A generated graph (see ``generate``) has finite values on some inputs, as far as a search can find such inputs.
        """
        if program := self.program(index):
            return program.graph
        if self.aims(index):
            aimed = self.aimed(index, attempt, accepts)
            return aimed.graph if aimed else GraphBuilder().build([])
        strategy = self.kind(index).strategy
        if strategy in MEMORY_STRATEGIES:
            graph = self._remembering(index, attempt, accepts)
        else:
            turn = self._turn(index) if strategy in DUE_STRATEGIES else None
            graph = self._generated(index, attempt, accepts, turn)
        return prune(settle(graph, self._key(index, attempt)))  # drops unused constants, as storing a graph does

    def _generated(self, index: int, attempt: int, accepts: Accepts | None, memory: Memory | None) -> Graph:
        key, strategy = self._key(index, attempt), self.kind(index).strategy
        graph = generate(self._nodes, key, accepts, self._partners, strategy, memory, self._operators)
        return graph if self._kinds.writes else replace(graph, updates={})

    def _remembering(self, index: int, attempt: int, accepts: Accepts | None) -> Graph:
        """Return a graph that knows what the first graphs of all cases in earlier batches hold.

        This process generates all those graphs itself, whichever process runs their cases. It takes some milliseconds
        a graph, and no process waits for another. Batches come in order, except for postponed cases and after the death
        of a process: then it begins with the first batch again.
        """
        if index // BATCH < self._batch:
            self._memory, self._batch, self._drafted = Memory(), 0, {}
        while self._batch < index // BATCH:
            first = self._batch * BATCH
            drafts = [self._draft(case, 0, accepts)[1] for case in range(first, first + BATCH)]
            for draft in drafts:
                self._memory.absorb(draft)
            self._batch, self._drafted = self._batch + 1, {}
        return self._draft(index, attempt, accepts)[0]

    def _draft(self, index: int, attempt: int, accepts: Accepts | None) -> tuple[Graph, Draft]:
        if (index, attempt) not in self._drafted:
            draft = Draft(self._memory)
            self._drafted[index, attempt] = self._generated(index, attempt, accepts, draft), draft
        return self._drafted[index, attempt]

    def aims(self, index: int) -> bool:
        """Return whether the seed graph of a case aims at a part of the compiler."""
        return self.generated and self.kind(index).strategy == TARGETS

    def aimed(self, index: int, attempt: int, accepts: Accepts | None = None) -> Aimed | None:
        """Return the program of a case that aims at a part of the compiler; None if the compiler takes none."""
        acted = self.acted.get(round_of(index), {})
        return self._aims.program(self._turn(index), self._key(index, attempt), accepts, self._operators, acted)

    def _key(self, index: int, attempt: int) -> str:
        return f"{self._seed}/{index}/{attempt}"

    def _turn(self, index: int) -> Turn:
        return Turn(self._seed, self._kinds.number(index))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    write_whole(path, text)


def forget(campaign: Path) -> None:
    """Delete the files that ``Seeds.keep`` wrote, and their folder if it is then empty."""
    folder = campaign / IMPORTED
    for path in [*folder.glob(f"[0-9]*{_UNREADABLE}"), *folder.glob(f"[0-9]*{_SIZES}")]:
        path.unlink()
    files.remove(folder)


def _is_imported(source: str) -> bool:
    return source.endswith(".pt2") if Path(source).is_file() else bool(_CALLABLE.fullmatch(source))


def _problems(folder: Path) -> dict[int, str]:
    return {int(path.stem): path.read_text("utf-8") for path in sorted(folder.glob(f"[0-9]*{_UNREADABLE}"))}
