"""The strides oracle: a compiled program must return results with the strides that they have uncompiled.

A user's next operator may need them: ``view`` fails, and ``as_strided`` reads other elements, where they differ. The
values are right, so no other oracle sees it. These rules follow PyTorch's promises and what its maintainers took:

- The promise is Inductor's: "For user visible outputs, inductor will make sure the stride matches with eager." Its
  option `keep_output_stride` is on by default. See
  https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_inductor/config.py. Results that own their memory have the
  exact strides since pytorch/pytorch#130956. Before that, dense ones had them.
- Taken as bugs: pytorch/pytorch#130394 (`empty_strided`), #144699 (`full_like`), #177546 (padding of a matrix product),
  #179272 (`interpolate`). Open, and labelled `triaged`: #198364 (`copysign` of a transposed operand).
- Strides of dimensions of one element, and of tensors without elements, choose no element: they do not count, although
  Inductor keeps most (#116433, #122239; open: #197815). A general check in the compiler itself was declined (#114070).
- A result that is no dense tensor uncompiled, such as ``y[:, ::2]`` or ``y.expand(5, 6)``, does not count. For views
  Inductor keeps only the order of the strides, to save a copy (`run_node` in
  https://github.com/pytorch/pytorch/blob/v2.13.0/torch/_inductor/graph.py).
- The final content of an input that the program writes does not count: it is the caller's own tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import Template

from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import operators
from polyjuice.oracles.oracle import UNCOMPILED, Kind, Oracle, Sides

_COMPARED = Template('''\
def strides(outputs):
    """Return the strides of output $output in its dimensions of more than one element."""
    y = outputs[$output]
    return [stride for size, stride in zip(y.shape, y.stride()) if size > 1]


model = $model
compiled = strides($compiled())
plain = strides($plain())
print("strides of output $output: compiled %s, uncompiled %s" % (compiled, plain))
${further}sys.exit(1 if compiled != plain else 0)''')


def _ending(sides: Sides) -> Iterator[str]:
    updated = {place for place, _ in sides.case.of(sides.verdict.a).artifact.setup.get("updates", ())}
    returned = [place for place in range(sides.outputs) if place not in updated]
    yield UNCOMPILED
    yield _COMPARED.substitute(
        output=returned.index(sides.verdict.output),
        model=sides.model("A"),
        compiled=sides.with_arguments("A"),
        plain=sides.with_arguments("A", "uncompiled"),
        further=sides.further,
    )


STRIDES = Kind(
    name="strides",
    title="other strides",
    at_output=True,
    key=lambda case, verdict: (verdict.inputs, verdict.output),
    claim="Compiled, A returns a result with other strides than uncompiled.",
    predicate="returns a result with other strides than uncompiled",
    why="Inductor keeps the strides of results by default (keep_output_stride): a later view or as_strided needs them.",
    expected="it returns a result with the strides of the uncompiled run",
    ending=_ending,
    keeps_model=True,
    table=lambda verdict: "strides",
)


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """At most one verdict for each variant that ran, on its first result with other strides."""
    return [first for t in case.ran if (first := next(_verdicts(t), None))]


def _recognises(verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
    """Accept other strides of the same output, whether it is the first or not."""
    return any(again.same_fault(verdict) for t in case.ran for again in _verdicts(t))


def _verdicts(t: Program) -> Iterator[Verdict]:
    for i, (mine, plain) in enumerate(zip(t.outcome.memory, t.outcome.reference_memory, strict=False)):
        for k, y in enumerate(t.outcome.outputs[i]):
            if _differ(y.shape, mine.strides.get(k, ()), plain.strides.get(k, ())):
                yield Verdict.against(
                    t,
                    oracle=ORACLE.name,
                    kind=STRIDES.name,
                    message=f"{t.label}: output {k} ({t.graph.output_types[k]}) has strides {[*mine.strides[k]]}, "
                    f"uncompiled {[*plain.strides[k]]}",
                    signature=" ".join([STRIDES.name, *operators(t.graph)]),
                    inputs=i,
                    output=k,
                )


def _differ(shape: Sequence[int], mine: Sequence[int], plain: Sequence[int]) -> bool:
    """Whether strides differ in a dimension of more than one element, of a tensor that is dense uncompiled."""
    if 0 in shape or not len(shape) == len(mine) == len(plain):
        return False
    counted = [(size, its, own) for size, own, its in zip(shape, mine, plain, strict=True) if size > 1]
    return any(own != its for _, its, own in counted) and _is_dense([(size, its) for size, its, _ in counted])


def _is_dense(dimensions: Sequence[tuple[int, int]]) -> bool:
    """Whether a tensor with these sizes and strides has no gaps, and no element twice."""
    reach = 1
    for size, stride in sorted(dimensions, key=lambda one: one[1]):
        if stride != reach:
            return False
        reach *= size
    return True


ORACLE = Oracle(
    name="strides",
    help="a compiled program returns results with other strides than uncompiled",
    kinds=(STRIDES,),
    judge=judge,
    recognises=_recognises,
    formats=("torch",),
    needs="memory",
    usual=True,
    rank=5,
)
