"""Packs: programs of several cases side by side as one program, which a compiler compiles once.

A compilation by Inductor has a high fixed cost, and for small programs there is little other cost. So programs of
several cases become one: a pack puts their graphs side by side, with each program's lowering choices. Each program
keeps its inputs, its outputs and its verdicts. All programs of a pack have one setting (sizes, freezing, gradient
mode). No two variants of a case are in one pack, because the compiler must not merge programs that are compared.

A pack that fails is cut, until each program that fails is alone, and all others have run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from math import isqrt

import numpy as np

from polyjuice import pipeline
from polyjuice.execution import Artifact, Draft, Gradients, LoweringChoices, Outcome
from polyjuice.frameworks.user_model import SEED_GRAPH
from polyjuice.ir import dtypes, numbered, renamed, union
from polyjuice.numerics import Mode
from polyjuice.oracles import Case, InputSet, Program
from polyjuice.session import CompilerSession

LARGEST = 30
"""A program of more operators is in no pack: its own compilation costs far more than the fixed cost."""

_USUAL = "normal"
"""The profile of a pack whose programs have different ones: only numbers within their type's range count as known."""

_NAMED = re.compile(r"\bp(\d+)_")
"""The name of a pack's value in an error, with the number of its program (see :func:`polyjuice.ir.numbered`)."""

_OF_EACH = ("layouts", "updates", "numbers")
"""The parts of a program's setup that concern only its own inputs and arguments."""


@dataclass(frozen=True, eq=False)
class Member:
    """A program, with its case."""

    case: Case
    program: Program


@dataclass(frozen=True, eq=False)
class Pack:
    """Programs of different cases that are compiled as one."""

    members: tuple[Member, ...]

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def case(self) -> Case:
        """All programs as a case of one program; for a single member, its own case with only this program."""
        first = self.members[0].case
        if len(self) == 1:
            return first.only([self.members[0].program.label])
        sets = [self._input_set(i) for i in range(max(len(member.case.sets) for member in self.members))]
        names = [numbered(member.program.graph, number) for number, member in enumerate(self.members)]
        graph = union([renamed(m.program.graph, to) for m, to in zip(self.members, names, strict=True)])
        target = pipeline.Target(format=self.members[0].program.artifact.format)
        artifact = pipeline.lower(graph, self._choices(names), target)
        return Case(
            sets=sets,
            programs=[pipeline.prepare(SEED_GRAPH, graph, artifact, sets)],
            seed=first.seed,
            index=first.index,
        )

    @property
    def program(self) -> Program:
        """The program of that case."""
        return self.case.programs[0]

    @property
    def draft(self) -> Draft:
        """What a compiler executes."""
        return self.program.artifact, self.case.inputs, len(self)

    def _input_set(self, i: int) -> InputSet:
        """The inputs of all programs; a program with fewer sets repeats its first ones."""
        sets = [member.case.sets[i % len(member.case.sets)] for member in self.members]
        profiles = {one.profile for one in sets}
        arrays = tuple(array for one in sets for array in one.arrays)
        return InputSet(
            profile=profiles.pop() if len(profiles) == 1 else _USUAL,
            arrays=arrays,
            mode=_known_to_all(sets),
        )

    def _choices(self, names: Sequence[Mapping[str, str]]) -> LoweringChoices:
        """The lowering choices of all programs; choices about no value are the first program's."""
        taken: dict[tuple[str, str], tuple[int, ...]] = {}
        for member, to in reversed(list(zip(self.members, names, strict=True))):
            choices = member.program.artifact.choices
            assert choices is not None
            taken.update(choices.renamed(to).taken)
        return LoweringChoices.of(taken)

    def outcomes(self, outcome: Outcome) -> Iterator[Outcome]:
        """The outcome of each program, if the pack ran."""
        at = first = 0
        for number, member in enumerate(self.members):
            sets, graph = len(member.case.sets), member.program.graph
            width = len(graph.outputs)
            inputs = range(first, first + len(graph.inputs))
            own = inputs, range(at, at + width), f"p{number}_"
            yield replace(
                outcome,
                outputs=_columns(outcome.outputs[:sets], at, width),
                reference=None if outcome.reference is None else _columns(outcome.reference[:sets], at, width),
                memory=tuple(memory.part(*own) for memory in outcome.memory[:sets]),
                reference_memory=tuple(memory.part(*own) for memory in outcome.reference_memory[:sets]),
                gradients=_by_own(outcome.gradients[:sets], inputs),
                reference_gradients=_by_own(outcome.reference_gradients[:sets], inputs),
            )
            at, first = own[1].stop, own[0].stop

    def member_of(self, output: int) -> Member:
        """The program to which an output of the pack belongs."""
        ends = accumulate(len(member.program.graph.outputs) for member in self.members)
        return next(member for member, end in zip(self.members, ends, strict=True) if output < end)

    def parts(self, outcome: Outcome) -> list[Pack]:
        """The packs to try after this one failed: the programs named in the error and the others, or about equal parts.

        There are none for a single program. Parts are few, and small: what fails among them is soon alone.
        """
        if len(self) == 1:
            return []
        told = _NAMED.findall(outcome.message) or _NAMED.findall(outcome.traceback)
        named = {*map(int, told)} & {*range(len(self))}
        if not named or 2 * len(named) > len(self):
            return [Pack(tuple(part)) for part in _parts(self.members, isqrt(len(self)))]
        first = tuple(member for number, member in enumerate(self.members) if number in named)
        return [Pack(first), Pack(tuple(member for member in self.members if member not in first))]


@dataclass(frozen=True)
class CasePacks:
    """The packs of several programs that concern a case.

    ``ran`` has the packs in which its programs ran, by label. ``failed`` are packs that failed although all parts ran,
    and ``first`` counts packs that ran. Both have only packs whose first program is the case's.
    """

    ran: Mapping[str, Pack] = field(default_factory=dict)
    failed: Sequence[Pack] = ()
    first: int = 0

    def suspected(self, flaky: Iterable[str]) -> list[Pack]:
        """The packs that may show a fault that their programs do not show alone.

        They fail, or have a result that the program with a label in ``flaky`` does not repeat.
        """
        return list(dict.fromkeys([*(pack for label in flaky if (pack := self.ran.get(label))), *self.failed]))


@dataclass(frozen=True)
class Packed:
    """Cases whose programs ran in packs, where they could; those that must run alone still wait.

    ``packs`` are the packs of several programs that ran. ``failed`` are those that failed although all parts ran.
    """

    cases: Sequence[Case]
    packs: Sequence[Pack]
    failed: Sequence[Pack]

    def of(self, case: Case) -> CasePacks:
        """The packs that concern a case."""
        ran = {m.program.label: pack for pack in self.packs for m in pack.members if m.case.index == case.index}
        failed, first = (
            [pack for pack in packs if pack.members[0].case.index == case.index] for packs in (self.failed, self.packs)
        )
        return CasePacks(ran, failed, len(first))


def formed(cases: Sequence[Case], size: int) -> list[Pack]:
    """Packs of at most ``size`` programs each, which have one setting and the same number in their cases.

    Programs with wider unsigned integers are apart: compilers refuse many of them, and with each a whole pack.
    """
    groups: dict[object, list[Member]] = {}
    for case in cases:
        for place, program in enumerate(case.programs):
            apart = case.index if len(program.graph) > LARGEST else None
            rare = any(type.dtype in dtypes.WIDER_UNSIGNED for type in program.graph.types.values())
            groups.setdefault((place, _setting(program.artifact), apart, rare), []).append(Member(case, program))
    return [Pack(tuple(part)) for group in groups.values() for part in _parts(group, size)]


def execute(cases: Sequence[Case], session: CompilerSession, size: int) -> Packed:
    """Compile and run the programs of cases in packs of at most ``size``."""
    ran: list[Pack] = []
    parts: dict[Pack, list[Pack]] = {}
    outcomes: dict[tuple[int, str], Outcome] = {}
    waiting = formed(cases, size)
    while waiting:
        packs, waiting = waiting, []

        def instead(number: int, outcome: Outcome, packs: list[Pack] = packs) -> list[Draft]:
            parts[packs[number]] = added = packs[number].parts(outcome)
            packs += added
            return [part.draft for part in added]

        found = session.execute_together([pack.draft for pack in packs], instead)
        if not any(found):
            break
        for pack, whole in zip(packs, found, strict=True):
            outcome = whole and pack.program.complete(whole)
            if outcome is None:
                waiting.append(pack)
            elif outcome.status == "ok" or (len(pack) == 1 and outcome.status == "unsupported"):
                ran += [pack] if outcome.status == "ok" else []
                for member, own in zip(pack.members, pack.outcomes(outcome), strict=True):
                    outcomes[member.case.index, member.program.label] = own
            elif pack not in parts:
                parts[pack] = pack.parts(outcome)
                waiting += parts[pack]
    return Packed(
        [replace(case, programs=[_ran(case, program, outcomes) for program in case.programs]) for case in cases],
        [pack for pack in ran if len(pack) > 1],
        [pack for pack, smaller in parts.items() if smaller and all(part in ran for part in smaller)],
    )


def _ran(case: Case, program: Program, outcomes: Mapping[tuple[int, str], Outcome]) -> Program:
    outcome = outcomes.get((case.index, program.label))
    return replace(program, outcome=outcome) if outcome else program


def _parts(group: Sequence[Member], size: int) -> list[Sequence[Member]]:
    """The group in as few parts as ``size`` allows, of about equal length."""
    count = -(-len(group) // size)
    bounds = [len(group) * i // count for i in range(count + 1)]
    return [group[start:end] for start, end in pairwise(bounds)]


def _setting(artifact: Artifact) -> str:
    """The setup of a program without the parts that concern only its own inputs."""
    return str(sorted((name, value) for name, value in artifact.setup.items() if name not in _OF_EACH))


def _known_to_all(sets: Sequence[InputSet]) -> Mode:
    """The values that count as known on the inputs of every program."""
    modes = [one.mode for one in sets]
    return Mode(
        all(mode.wrap for mode in modes),
        all(mode.edge for mode in modes),
        all(mode.ordered for mode in modes),
        tuple(dict.fromkeys(dtype for mode in modes for dtype in mode.excess_precision)),
        tuple(dict.fromkeys(dtype for mode in modes for dtype in mode.narrowed)),
    )


def _by_own(gradients: Sequence[Gradients], inputs: range) -> tuple[Gradients, ...]:
    """The gradients by one program's inputs, for each set of inputs."""
    return tuple({inputs.index(n): gradient for n, gradient in one.items() if n in inputs} for one in gradients)


def _columns(results: Sequence[tuple[np.ndarray, ...]], at: int, width: int) -> tuple[tuple[np.ndarray, ...], ...]:
    """The same columns of the outputs, for each set of inputs."""
    return tuple(one[at : at + width] for one in results)
