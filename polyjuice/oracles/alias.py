"""The alias oracle: a compiled program must share memory, and write into inputs, as it does uncompiled.

A user who updates a result in place changes whatever shares memory with it: a returned input, another result, a
parameter. The compiled program should therefore share the same memory as the uncompiled one. PyTorch promises only part
of that:

- A result that shares memory with an input does so compiled, too, and is a view of the same places. AOTAutograd makes
  the view again from the input (`OutputType.is_input` and `alias_of_input`). Parameters and buffers count as inputs.
  Freezing turns them into constants, which it may copy, so sharing with them is not judged in frozen programs.
- Results that share memory only with each other may each get their own memory. PyTorch rebuilds them from a common base
  only where both require gradients, and where one call made a single view (not `unbind` or `split`).
- Results that share no memory uncompiled share none compiled. A write to one must not change another.
- An input that the program does not write keeps each byte of its memory. (Written inputs are compared as results are.)

Sources: the note "outputs aliasing inputs or intermediates" in
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_functorch/aot_autograd.py, its consequences in
https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_functorch/_aot_autograd/collect_metadata_analysis.py, and
https://docs.pytorch.org/docs/stable/torch.compiler_aot_autograd.html.

The memory layout of their operand decides whether `reshape` and `contiguous` copy. Both runs have the same layout, so
the uncompiled run is the standard.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from string import Template

from polyjuice.execution import Memory, Shared
from polyjuice.ir import Graph
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import operators
from polyjuice.oracles.oracle import UNCOMPILED, Kind, Oracle, Sides

GAINED, LOST, MOVED, WRITTEN = "gained", "lost", "moved", "written"
"""What differs: an output shares memory only compiled, only uncompiled, or at other places; or an input is written."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One difference in the use of memory between a compiled program and its uncompiled run.

    ``inputs`` numbers the set of inputs. ``kind`` and ``other`` say with what the ``output`` shares memory (see
    :class:`polyjuice.execution.Memory`). For a written input, ``kind`` and ``other`` name that input, and ``output``
    depends on it.
    """

    comparison: str
    inputs: int
    output: int
    kind: str
    other: int | str

    @property
    def what(self) -> str:
        """The sharing that only one of the two runs has; for a written input, the input."""
        if self.comparison == WRITTEN:
            return f"input {self.other}"
        if self.comparison == MOVED:
            return f"output {self.output} is {_named(self.kind, self.other)}"
        return f"output {self.output} shares memory with {_named(self.kind, self.other)}"

    def __str__(self) -> str:
        return {
            GAINED: f"{self.what}; uncompiled it does not",
            LOST: f"uncompiled, {self.what}; compiled it does not",
            MOVED: f"uncompiled, {self.what}, element by element; compiled it is not, or the other way round",
            WRITTEN: f"the memory of {self.what} is written; uncompiled it is not",
        }[self.comparison]


_SHARES = Template('''\
def places(x):
    """Return the addresses of all bytes of a tensor's elements."""
    found, width = np.array([x.data_ptr()]), x.element_size()
    for count, step in [*((n, s * width) for n, s in zip(x.shape, x.stride())), (width, 1)]:
        found = (found[:, None] + np.arange(count) * step).ravel()
    return {*found.tolist()}


def shares(outputs):
    """Return whether $what. The arguments follow the outputs."""
    return any(not places(outputs[$output]).isdisjoint(places(x)) for x in $others)''')

_IS = Template('''\
def form(x):
    """Return what two tensors have in common if they are the same elements in the same order."""
    strides = [stride for size, stride in zip(x.shape, x.stride()) if size > 1]
    return x.data_ptr(), x.dtype, x.shape, strides, x.is_conj(), x.is_neg()


def shares(outputs):
    """Return whether $what. The arguments follow the outputs."""
    return form(outputs[$output]) == form($other)''')

_COMPARED = Template("""\
model = $model
compiled = shares($a())
plain = shares($plain())
print("$what: compiled %s, uncompiled %s" % (compiled, plain))
${further}sys.exit(1 if compiled != plain else 0)""")

_WRITES = Template('''\
def bytes_of(x):
    """Return all of a tensor's memory."""
    return torch.empty(0, dtype=torch.uint8, device=x.device).set_(x.untyped_storage())


model = $model
compiled = bytes_of($a()[$other])
plain = bytes_of($plain()[$other])
wrong = compiled != plain
print("bytes of $what that differ from those after the uncompiled run:", int(wrong.sum()), "of", wrong.numel())
sys.exit(1 if wrong.any() else 0)''')


def _ending(sides: Sides) -> Iterator[str]:
    verdict = sides.verdict
    program = sides.case.of(verdict.a)
    found = next(d for d in differences(program) if (d.comparison, d.output) == (verdict.comparison, verdict.output))
    updated = {place for place, _ in program.artifact.setup.get("updates", ())}
    places = [place for place in range(sides.outputs) if place not in updated]
    parts = {
        "a": sides.with_arguments("A"),
        "plain": sides.with_arguments("A", "uncompiled"),
        "model": sides.model("A"),
        "what": found.what,
    }
    yield UNCOMPILED
    if found.comparison == WRITTEN:
        yield _WRITES.substitute(parts, other=len(places) + int(found.other))
        return
    others = "[*model.parameters(), *model.buffers()]"
    if found.kind != Memory.HELD:
        number = int(found.other)
        others = f"[outputs[{places.index(number) if found.kind == Memory.OUTPUT else len(places) + number}]]"
    output = places.index(found.output)
    if found.comparison == MOVED:
        yield _IS.substitute(parts, output=output, other=others[1:-1])
    else:
        yield _SHARES.substitute(parts, output=output, others=others)
    yield _COMPARED.substitute(parts, further=sides.further)


def _sharing(case: Case, verdict: Verdict) -> tuple[object, ...]:
    return verdict.comparison, verdict.inputs, verdict.output


ALIASED = Kind(
    name="alias",
    title="wrong aliasing",
    at_output=True,
    comparison_matters=True,
    key=_sharing,
    claim="Compiled, A shares memory or writes into inputs differently than uncompiled.",
    predicate="compiled: {message}",
    why="A write into one of them changes the other, so correct code goes wrong.",
    expected="it shares memory, and writes into inputs, as the uncompiled run does",
    ending=_ending,
    keeps_model=True,
    table=lambda verdict: "" if verdict.comparison == WRITTEN else "shares",
)


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """At most one verdict for each variant that ran, its first difference from the uncompiled run."""
    return [_verdict(t, first) for t in case.ran if (first := next(differences(t), None))]


def _recognises(verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
    """Accept any difference of the same kind in the same output, first or not."""
    found = (_verdict(t, one) for t in case.ran for one in differences(t))
    return any(again.same_fault(verdict) and again.comparison == verdict.comparison for again in found)


def differences(t: Program) -> Iterator[Difference]:
    """The differences in memory between a program and its uncompiled run that PyTorch's promises rule out."""
    for i, (mine, its) in enumerate(zip(t.outcome.memory, t.outcome.reference_memory, strict=False)):
        if t.artifact.setup.get("freezing"):
            mine, its = _without_held(mine), _without_held(its)
        updated = {number for _, number in t.artifact.setup.get("updates", ())}
        for n in sorted(mine.written - its.written - updated):
            yield Difference(comparison=WRITTEN, inputs=i, output=_depending(t.graph, n), kind=Memory.INPUT, other=n)
        for k, kind, other in _ordered(mine.shared - its.shared):
            yield Difference(comparison=GAINED, inputs=i, output=k, kind=kind, other=other)
        for k, kind, other in _ordered(its.shared - mine.shared):
            if _is_promised(its, k, kind, other):
                yield Difference(comparison=LOST, inputs=i, output=k, kind=kind, other=other)
        for k, n in sorted(mine.same ^ its.same):
            if (k, Memory.INPUT, n) in mine.shared & its.shared:
                yield Difference(comparison=MOVED, inputs=i, output=k, kind=Memory.INPUT, other=n)


def _is_promised(plain: Memory, k: int, kind: str, other: int | str) -> bool:
    """Whether an output that shares memory with something uncompiled must do so compiled."""
    if kind == Memory.OUTPUT:
        through = {(kind, other) for number, kind, other in plain.shared if number == k and kind != Memory.OUTPUT}
        inputs = any((other, *one) in plain.shared for one in through)
        return inputs or {k, other} <= plain.differentiable
    return kind in (Memory.INPUT, Memory.HELD)


def _without_held(memory: Memory) -> Memory:
    shared = frozenset(one for one in memory.shared if one[1] != Memory.HELD)
    return replace(memory, shared=shared)


def _ordered(shared: frozenset[Shared]) -> list[Shared]:
    return sorted(shared, key=lambda one: (one[0], one[1], str(one[2])))


def _depending(graph: Graph, number: int) -> int:
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
    signature = " ".join([ORACLE.name, found.comparison, found.kind, *operators(t.graph)])
    message = f"{t.label}: {found}"
    return Verdict.against(
        t,
        oracle=ORACLE.name,
        kind=ALIASED.name,
        message=message,
        signature=signature,
        inputs=found.inputs,
        output=found.output,
        comparison=found.comparison,
    )


ORACLE = Oracle(
    name="alias",
    help="a compiled program shares other memory than uncompiled",
    kinds=(ALIASED,),
    judge=judge,
    recognises=_recognises,
    formats=("torch",),
    needs="memory",
    usual=True,
    rank=4,
)
