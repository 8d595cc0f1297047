"""The optlevel oracle: a program must mean the same at every optimization level of its compiler."""

from __future__ import annotations

from dataclasses import replace

from polyjuice.compilers import CompilerInfo
from polyjuice.oracles import crash
from polyjuice.oracles.case import Case, CompilerAccess, Oracle, Program, Verdict
from polyjuice.oracles.comparison import compare, operators


class OptLevel(Oracle):
    """The optlevel oracle: it compares each variant at the default level with itself at every other level."""

    name = "optlevel"

    def refusal(self, compiler: CompilerInfo) -> str:
        """The reason why the oracle cannot judge a compiler (it has only one level); "" if it can."""
        return "" if len(compiler.levels) > 1 else f"{compiler.name} has no optimization levels"

    def judge(self, case: Case, access: CompilerAccess) -> list[Verdict]:
        """The first difference of each variant at each other level, or its failure there."""
        levels = access.compiler.levels[:-1]
        return [v for t in case.ran for level in levels if (v := _against(case, t, level, access))]


def _against(case: Case, t: Program, level: str, access: CompilerAccess) -> Verdict | None:
    outcome = t.complete(access.execute(t.artifact, case.inputs, level=level))
    other = replace(t, label=f"{t.label} at level {level}", outcome=outcome)
    if outcome.status == "ok":
        verdict = compare(OptLevel.name, case, t, other, access)
    else:
        verdict = crash.verdict(OptLevel.name, other, t.label) if crash.failed(other) else None
    if verdict is None:
        return None
    signature = " ".join([verdict.signature, level, *operators(t.graph)])
    return replace(verdict, a=t.label, b="", level=level, signature=signature)
