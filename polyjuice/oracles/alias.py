"""The alias oracle: a compiled program must share memory, and write into inputs, as it does uncompiled.

Who updates a result in place changes whatever shares memory with it: an input that the program hands back, another
result, a parameter. So these must be the same with and without the compiler. PyTorch promises less than all of it:

- A result that shares memory with an input does so compiled, too, and is a view of the same places: AOTAutograd makes
  it anew from the input (`OutputType.is_input` and `alias_of_input`). Parameters and buffers are inputs to it. Freezing
  makes constants of them, which it may copy: frozen programs are not judged by these.
- Results that share memory with each other, and with no input, are made anew from their common base only where both
  require gradients, and not where a view is one of several that were made at once (`unbind`, `split`). Elsewhere each
  may have memory of its own.
- What shares no memory uncompiled shares none compiled: whatever is computed keeps its value while others are written.
- An input into which the program does not write keeps each byte of its memory. (What inputs hold into which it writes
  is compared as results are.)

See Note [AOT Autograd: outputs aliasing inputs or intermediates!] in
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_functorch/aot_autograd.py, what follows from it in
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_functorch/_aot_autograd/collect_metadata_analysis.py, and
https://docs.pytorch.org/docs/stable/torch.compiler_aot_autograd.html. Whether `reshape` or `contiguous` copies depends
on how an operand lies in memory, which is the same in both runs: what the uncompiled one does counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from polyjuice.execution import Memory, Shared
from polyjuice.ir import Graph
from polyjuice.oracles.case import Case, CompilerAccess, Oracle, Program, Verdict
from polyjuice.oracles.comparison import operators

GAINED, LOST, MOVED, WRITTEN = "gained", "lost", "moved", "written"
"""The rungs: an output shares memory only compiled, or only uncompiled, or at other places; or an input is written."""


@dataclass(frozen=True)
class Difference:
    """One thing that a compiled program does to memory and its uncompiled run does not, or the other way round.

    ``inputs`` numbers the set of inputs. ``kind`` and ``other`` say with what the ``output`` shares memory (see
    :class:`polyjuice.execution.Memory`). Of an input that is written they name that, and ``output`` is one that depends
    on it.
    """

    rung: str
    inputs: int
    output: int
    kind: str
    other: int | str

    @property
    def what(self) -> str:
        """What one of the runs does; of an input that is written, that input."""
        if self.rung == WRITTEN:
            return f"input {self.other}"
        if self.rung == MOVED:
            return f"output {self.output} is {_named(self.kind, self.other)}"
        return f"output {self.output} shares memory with {_named(self.kind, self.other)}"

    def __str__(self) -> str:
        return {
            GAINED: f"{self.what}; uncompiled it does not",
            LOST: f"uncompiled, {self.what}; compiled it does not",
            MOVED: f"uncompiled, {self.what}, element by element; compiled it is not, or the other way round",
            WRITTEN: f"the memory of {self.what} is written; uncompiled it is not",
        }[self.rung]


class Alias(Oracle):
    """At most one verdict for each variant that ran: the first difference from its uncompiled run."""

    name = "alias"
    formats = ("torch",)

    def judge(self, case: Case, access: CompilerAccess) -> list[Verdict]:
        return [_verdict(t, first) for t in case.ran if (first := next(differences(t), None))]

    def triggers(self, verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
        """Any difference of the same kind in the same output, be it the first or not."""
        found = (_verdict(t, one) for t in case.ran for one in differences(t))
        return any(again.same_fault(verdict) and again.rung == verdict.rung for again in found)


def differences(t: Program) -> Iterator[Difference]:
    """How what a program did to memory differs from what its uncompiled run did, as far as PyTorch promises that."""
    for i, (mine, its) in enumerate(zip(t.outcome.memory, t.outcome.reference_memory, strict=False)):
        if t.artifact.setup.get("freezing"):
            mine, its = _without_held(mine), _without_held(its)
        updated = {number for _, number in t.artifact.setup.get("updates", ())}
        for n in sorted(mine.written - its.written - updated):
            yield Difference(WRITTEN, i, _depending(t.graph, n), Memory.INPUT, n)
        for k, kind, other in _ordered(mine.shared - its.shared):
            yield Difference(GAINED, i, k, kind, other)
        for k, kind, other in _ordered(its.shared - mine.shared):
            if _is_promised(its, k, kind, other):
                yield Difference(LOST, i, k, kind, other)
        for k, n in sorted(mine.same ^ its.same):
            if (k, Memory.INPUT, n) in mine.shared & its.shared:
                yield Difference(MOVED, i, k, Memory.INPUT, n)


def _is_promised(plain: Memory, k: int, kind: str, other: int | str) -> bool:
    """Whether an output that shares memory with something uncompiled must do so compiled."""
    if kind == Memory.OUTPUT:
        through = {(kind, other) for number, kind, other in plain.shared if number == k and kind != Memory.OUTPUT}
        inputs = any((other, *one) in plain.shared for one in through)
        return inputs or {k, other} <= plain.differentiable
    return kind in (Memory.INPUT, Memory.HELD)


def _without_held(memory: Memory) -> Memory:
    shared = frozenset(one for one in memory.shared if one[1] != Memory.HELD)
    return Memory(memory.written, shared, memory.same, memory.differentiable)


def _ordered(shared: frozenset[Shared]) -> list[Shared]:
    return sorted(shared, key=lambda one: (one[0], one[1], str(one[2])))


def _depending(graph: Graph, number: int) -> int:
    """The first output that depends on an input, or else the first of all."""
    reached = {graph.inputs[number]} if number < len(graph.inputs) else set()
    for node in graph.nodes:
        if not reached.isdisjoint(node.inputs):
            reached.update(filter(None, node.outputs))
    return next((place for place, name in enumerate(graph.outputs) if name in reached), 0)


def _named(kind: str, other: int | str) -> str:
    return {
        Memory.INPUT: f"input {other}",
        Memory.OUTPUT: f"output {other}",
        Memory.HELD: f"{other}, which the model holds",
    }.get(kind, "an output of another program")


def _verdict(t: Program, found: Difference) -> Verdict:
    signature = " ".join([Alias.name, found.rung, found.kind, *operators(t.graph)])
    message = f"{t.label}: {found}"
    at = found.inputs, found.output
    return Verdict(Alias.name, "alias", t.label, "", message, signature, *at, t.label, found.rung)
