"""The optlevel oracle: a program must mean the same at every optimization level of its compiler."""

from __future__ import annotations

from dataclasses import replace
from string import Template

from polyjuice.oracles.case import Case, CompilerAccess, Program, Verdict
from polyjuice.oracles.comparison import MISMATCH, compare, operators
from polyjuice.oracles.failures import FAILURES, failed, failure_of
from polyjuice.oracles.oracle import Comparison, Oracle, Predicates

_RUNS = Template('''\
def at_level(level):
    """Return the output at an optimization level, from a new process: a compiler may read the level only once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "output.npy")
        subprocess.run([sys.executable, __file__, level, path], check=True)
        return np.load(path)


if len(sys.argv) > 1:
    level, path = sys.argv[1:]
    options = {"level": level} if level else {}
    np.save(path, output($a_with_options))
    sys.exit(0)

a = at_level("")
b = at_level("$level")''')


def judge(case: Case, access: CompilerAccess) -> list[Verdict]:
    """The first difference of each variant between the default level and each other level, or its failure there."""
    levels = access.compiler.levels[:-1]
    return [v for t in case.ran for level in levels if (v := _against(case, t, level, access))]


def _against(case: Case, t: Program, level: str, access: CompilerAccess) -> Verdict | None:
    outcome = t.complete(access.execute(t.artifact, case.inputs, level=level))
    other = replace(t, label=f"{t.label} at level {level}", outcome=outcome)
    if outcome.status == "ok":
        verdict = compare(ORACLE.name, case, t, other, access)
    else:
        verdict = failure_of(ORACLE.name, other, t.label) if failed(other) else None
    if verdict is None:
        return None
    signature = " ".join([verdict.signature, level, *operators(t.graph)])
    return replace(verdict, a=t.label, b="", level=level, signature=signature)


ORACLE = Oracle(
    name="optlevel",
    help="a program changes with the optimization level",
    kinds=(MISMATCH, *FAILURES),
    judge=judge,
    compares_levels=True,
    rank=6,
    advised=True,
    claim="A gives other results at another optimization level.",
    predicates=Predicates(
        undecided="gives different values at {level} than at the default level",
        first="gives wrong values at the default level, but not at {level}",
        other="gives wrong values at {level}, but not at the default level",
    ),
    why="An optimization level must not change results beyond rounding: this is beyond the error bounds.",
    comparison=Comparison(_RUNS, other="at level {level}"),
)
