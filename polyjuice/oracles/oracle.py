"""The parts of an oracle: data and small functions with all that Polyjuice needs to know of it.

A file of this folder, or of another package, holds one :class:`Oracle` under the name ``ORACLE``. No other part of
Polyjuice knows an oracle or a kind of verdict by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from string import Template
from typing import Protocol

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact
from polyjuice.oracles.case import Case, CompilerAccess, Verdict


class Sides(Protocol):
    """A reproducer's compiled programs, as its ending uses them: Python expressions.

    Sides are called A and B. The value of :meth:`call` is a function that runs a side and returns its outputs.
    """

    @property
    def case(self) -> Case:
        """The case."""

    @property
    def verdict(self) -> Verdict:
        """The verdict that the reproducer shows."""

    @property
    def further(self) -> str:
        """The line that prints the results of the framework's other backends, with its end of line; or ""."""

    @property
    def supervised(self) -> bool:
        """Whether the ending runs in a process of its own, because the compiler may end it or never return."""

    @property
    def outputs(self) -> int:
        """The number of outputs of each side."""

    def call(self, side: str, *options: str) -> str:
        """An expression that compiles a side, with further keyword arguments; "" where there is no such side."""

    def run(self, side: str) -> str:
        """An expression that compiles and runs a side."""

    def with_arguments(self, side: str, function: str = "") -> str:
        """Like :meth:`call`, for a variable ``model``; the run also returns its arguments, after its outputs.

        ``function`` makes the run instead of the compiler, for example ``uncompiled``.
        """

    def model(self, side: str) -> str:
        """An expression that makes the model of a side."""


Ending = Callable[[Sides], Iterator[str]]
"""Yield the blocks of code that end a reproducer: they print what they see, and exit with 1 where the bug shows."""


def ending(text: str) -> Ending:
    """An ending that is one text, with ``$a`` and ``$b`` for the expressions that compile the sides.

    ``$output`` is the number of the output that the verdict names. ``$further`` begins a line (see `Sides.further`).
    A `$` of the text's own is written ``$$``.
    """
    template = Template(text)

    def write(sides: Sides) -> Iterator[str]:
        calls = {name: sides.call(name.upper()) for name in ("a", "b")}
        yield template.substitute(calls, output=sides.verdict.output, further=sides.further)

    return write


UNCOMPILED = '''\
def uncompiled(model, inputs, updates=()):
    """Return a function that runs a model without the compiler, as `prepare` does with it."""

    def call():
        fresh = [x if getattr(x, "requires_grad", False) else copy.deepcopy(x) for x in inputs]
        outputs = [*model(*fresh)]
        for place, number in updates:
            outputs.insert(place, fresh[number])
        return outputs

    return call'''
"""A function of reproducers: with it, an ending runs a model without the compiler."""


def _by_place(case: Case, verdict: Verdict) -> tuple[object, ...]:
    return verdict.culprit, verdict.inputs, verdict.output


def _no_table(verdict: Verdict) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of faults: how they are told, how they repeat, and how a reproducer shows them.

    Raises ValueError for a kind that lacks what its reports or its reproducers say.
    """

    name: str
    """Its name in ``finding.json``."""

    title: str
    """Its name on a campaign's page, for example ``wrong result``."""

    values: bool = False
    """Whether wrong elements of an output show the fault. Reports and reproducers then compare elements, in the
    words of the oracle (`Oracle.claim`, `Oracle.predicates`, `Oracle.comparison`). It needs no text of its own."""

    compared: bool = False
    """Whether reproducers compare elements of an output, although reports do not. No ending is needed."""

    failure: bool = False
    """Whether the program does not compile or run. Its error tells the fault from others, and reports quote it."""

    endless: bool = False
    """Whether the program reaches the time limit. Such a verdict is confirmed once, and not reduced."""

    costs: bool = False
    """Whether the program takes too much time or memory, and is right."""

    by_chance: bool = False
    """Whether the fault need not show in each run."""

    tries: int = 1
    """The number of runs before the fault counts as gone."""

    at_output: bool = False
    """Whether ``Verdict.output`` tells where the fault is, in a program that does more than to show the fault."""

    comparison_matters: bool = False
    """Whether verdicts with different comparisons report different faults."""

    key: Callable[[Case, Verdict], tuple[object, ...]] = _by_place
    """A key that two verdicts of this kind on one case share where they report one fault; by default the place."""

    claim: str = ""
    """A sentence about the programs A and B: the fault that a reproducer shows."""

    predicate: str = ""
    """The words of a report's title after the program, as in "runs far slower than an equivalent one". ``{message}``
    stands for the verdict's message without the program's label."""

    why: str = ""
    """Why this is a fault, in a sentence."""

    expected: str = ""
    """The correct behaviour, in a few words after "Expected:". The message then tells the actual behaviour."""

    ending: Ending | None = None
    """How a reproducer ends."""

    keeps_model: bool = False
    """Whether the ending defines ``model``, and ``uncompiled``, which runs it without the compiler."""

    table: Callable[[Verdict], str] = _no_table
    """An expression for a function that describes the outputs of a run. The reproducer then shows what it says for each
    backend of the framework. The default "" shows nothing."""

    def __post_init__(self) -> None:
        needed = [] if self.values else ["claim"] if self.failure else ["claim", "predicate", "why"]
        needed += [] if self.values or self.compared else ["ending"]
        if missing := [name for name in needed if not getattr(self, name)]:
            raise ValueError(f"the kind {self.name!r} has no {' and no '.join(missing)}")


@dataclass(frozen=True)
class Predicates:
    """The words of a report's title after a program with wrong values, as in "gives wrong values".

    ``{level}`` stands for the optimization level that the verdict names. Where a text is "", the title tells how the
    values are wrong.
    """

    undecided: str = "gives wrong values"
    """Where the verdict names no culprit."""

    first: str = ""
    """Where the culprit is the verdict's first side."""

    other: str = ""
    """Where it is another one."""


@dataclass(frozen=True)
class Comparison:
    """How a reproducer gets the two results that it compares."""

    runs: Template
    """Statements that define ``a`` and ``b``. ``output(run)`` gives the result, ``$a`` and ``$b`` compile the sides,
    ``$a_with_options`` compiles A with the keyword arguments ``options``. ``$level`` is the verdict's level or other
    change, and ``$options`` has its keyword arguments."""

    other: str = "B"
    """The name of ``b`` in the reproducer's output, with ``{level}``. "" means that the statements define no
    ``b``: then ``a`` is compared with float64."""

    gap: bool = False
    """Whether the statements need the function ``gap(x, y)``, the difference of two results."""


PAIR = Comparison(
    Template("""\
a = output($a)
b = output($b)""")
)
"""Two programs are compared."""

ALONE = Comparison(Template("a = output($a)"), other="")
"""A program is compared with float64."""


def _as_it_is(artifact: Artifact) -> Artifact:
    return artifact


def _of_output(case: Case, verdict: Verdict) -> str:
    return case.of(verdict.a).graph.output_types[verdict.output].dtype


@dataclass(frozen=True, kw_only=True)
class Oracle:
    """Decides whether the programs of a case show a bug, and says how to repeat, show and tell it.

    Raises ValueError for an oracle that lacks what its reports say.
    """

    name: str
    """Its name for the option ``--oracle``, and the name of its file."""

    help: str
    """The bugs that it finds, in a few words."""

    kinds: tuple[Kind, ...]
    """The kinds of its verdicts."""

    judge: Callable[[Case, CompilerAccess], list[Verdict]]
    """Return a verdict for each fault that the programs of a case show. They have run."""

    recognises: Callable[[Verdict, Case, CompilerAccess], bool] | None = None
    """Whether a fault still shows in a case that holds the verdict's sides; see :meth:`triggers`."""

    program: Callable[[Artifact], Artifact] = _as_it_is
    """Return the program as the oracle runs it, which is what a reproducer shows."""

    dtype: Callable[[Case, Verdict], str] = _of_output
    """Return the element type of the result that shows a fault."""

    least: int = 1
    """How many variants it compares."""

    alone: Oracle | None = None
    """The oracle that sees in one program what this one sees in two, if there is one."""

    formats: tuple[str, ...] | None = None
    """The formats that it understands; None for all."""

    needs: str = ""
    """What a compiler that it judges must not lack (`CompilerInfo.lacks`)."""

    compares_levels: bool = False
    """Whether it compares optimization levels of the compiler."""

    switches_parts: bool = False
    """Whether it runs programs without parts of the compiler (`CompilerInfo.switched`)."""

    compares_devices: bool = False
    """Whether it compares the campaign's device with the CPU."""

    judges_failures: bool = False
    """Whether it sees that programs fail. It then judges programs that break a constraint on purpose, too."""

    traces_values: bool = False
    """Whether triage may ask it which values of a single program are wrong."""

    of_case: bool = False
    """Whether the results that it compares are those in the case, and not of further runs."""

    of_outputs: bool = True
    """Whether ``Verdict.output`` numbers an output of the program, and not something that is derived from outputs."""

    usual: bool = False
    """Whether it judges by default. Only oracles of Polyjuice itself may."""

    rank: int = 100
    """Its place among the oracles of Polyjuice itself: verdicts of earlier ones come first."""

    advised: bool = False
    """Whether a campaign without findings proposes it as the next step."""

    in_suite: bool = False
    """Whether a suite can say what it found: a suite compares programs with float64, and sees that they fail."""

    claim: str = ""
    """A sentence about the programs A and B: the fault that a reproducer of wrong values shows."""

    predicates: Predicates = Predicates()
    """The words of titles for wrong values."""

    why: str = ""
    """Why wrong values are a fault, in a sentence, if error bounds against float64 are not the reason."""

    tolerance: str = ""
    """A name for the allowed differences in a reproducer, if they are not error bounds."""

    comparison: Comparison = PAIR
    """How a reproducer of wrong values gets the results."""

    def __post_init__(self) -> None:
        if not self.kinds:
            raise ValueError(f"the oracle {self.name!r} has no kinds")
        if any(kind.values for kind in self.kinds) and not self.claim:
            raise ValueError(f"the oracle {self.name!r} judges values and has no claim")

    def refusal(self, compiler: CompilerInfo) -> str:
        """Why the oracle cannot judge programs of a compiler; "" where it can."""
        if self.compares_levels and len(compiler.levels) < 2:
            return f"{compiler.name} has no optimization levels"
        if self.switches_parts and compiler.switched is None:
            return f"{compiler.name} has no passes that a reproducer could switch off"
        if self.needs in compiler.lacks:
            return f"{compiler.name} lacks {self.needs}"
        if self.formats is None or compiler.format in self.formats:
            return ""
        return f"{compiler.name} takes {compiler.format} programs, and it judges {', '.join(self.formats)} alone"

    def triggers(self, verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
        """Whether a fault still shows in a case that holds the verdict's sides.

        Confirmation repeats the case; reduction makes it smaller. By default, the oracle's verdicts on the case must
        include the same fault (see :meth:`Verdict.same_fault`).
        """
        return self.recognises(verdict, case, access) if self.recognises else self.repeats(verdict, case, access)

    def repeats(self, verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
        """Whether the oracle's verdicts on a case include the same fault."""
        return any(again.same_fault(verdict) for again in self.judge(case, access))
