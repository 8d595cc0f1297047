"""The validation oracle: what the framework refuses uncompiled, it must refuse compiled.

Uncompiled, the operators of a framework check their operands, and an error tells the user of a mistake. A compiler that
skips the check returns some result instead. PyTorch's maintainers collect such cases in pytorch/pytorch#197554.
Examples are #193757 (targets of `binary_cross_entropy` outside of [0, 1]), #144183 (`index_copy`) and #197807 (a type
that `logcumsumexp` does not take). They took some for an extension that does no harm, such as mixed types in #150993.
They have not settled which, so the oracle does not judge by default.

It judges programs that break a constraint on purpose (`--disruptive`).
"""

from __future__ import annotations

from collections.abc import Iterator
from string import Template

from polyjuice.execution import Status
from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.failures import headline, of_broken, without_details
from polyjuice.oracles.oracle import UNCOMPILED, Kind, Oracle, Sides

_ACCEPTS = Template("""\
model = $model
plain, compiled = $plain, $compiled
try:
    plain()
except Exception as error:
    print("uncompiled, it raises", type(error).__name__, str(error)[:2000])
else:
    print("it runs uncompiled")
    sys.exit(0)
try:
    compiled()
except Exception as error:
    print("compiled, it raises", type(error).__name__, str(error)[:2000])
    sys.exit(0)
print("compiled, it returns results")
${further}sys.exit(1)""")


def _ending(sides: Sides) -> Iterator[str]:
    yield UNCOMPILED
    yield _ACCEPTS.substitute(
        model=sides.model("A"),
        plain=sides.with_arguments("A", "uncompiled"),
        compiled=sides.with_arguments("A"),
        further=sides.further,
    )


ACCEPTED = Kind(
    name="validation",
    title="lost validation",
    key=lambda case, verdict: (verdict.signature,),
    claim="Uncompiled, A raises an error. Compiled, it returns results.",
    predicate="runs compiled, although it raises an error uncompiled",
    why="The error tells the user of a mistake; without it, the results are arbitrary.",
    expected="an error, as in the uncompiled run",
    ending=_ending,
    keeps_model=True,
    table=lambda verdict: 'lambda outputs: "runs"',
)


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """A verdict for each broken program that ran compiled and does not run uncompiled."""
    return [verdict for t in case.ran if case.broken and (verdict := _verdict(case, t, access))]


def _verdict(case: Case, t: Program, access: CompilerAccess) -> Verdict | None:
    plain = access.execute(t.artifact, case.inputs, compile=False)
    if plain.status != Status.unsupported or plain.stage != "eager":
        return None
    error = headline(plain.message)
    verdict = Verdict.against(
        t,
        oracle=ORACLE.name,
        kind=ACCEPTED.name,
        message=f"{t.label} returns results; uncompiled it raises {error}",
        signature=f"{ACCEPTED.name} {without_details(error)}",
    )
    return of_broken(verdict, case.broken)


ORACLE = Oracle(
    name="validation",
    help="a compiled program runs that the framework refuses",
    kinds=(ACCEPTED,),
    judge=judge,
    formats=("torch",),
    judges_failures=True,
    rank=10,
)
