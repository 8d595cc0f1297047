"""The crash oracle: a compiler must not fail on a program that its framework runs.

An exception out of the compiler, the end of its process, running out of memory, and taking too long all count. What
the framework itself does not run is `unsupported`, and no bug. On a program that breaks a constraint on purpose an
exception is right, and only the others count (HirGen, paper 003, section 3.3.1).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from polyjuice.oracles.case import Case, CompilerAccess, Oracle, Program, Verdict

_KINDS = {"error": "crash", "crash": "crash", "hang": "hang"}

_STAGES = {"load": "load", "compile": "compile"}
"""What a program that fails in a stage does not do; in all others it does not run."""

_DEADLY = ("crash", "hang")
"""What not even an ill-typed program may bring about."""


class Crash(Oracle):
    """One verdict for each variant that failed; ``b`` is a variant that ran, if one did."""

    name = "crash"

    def judge(self, case: Case, access: CompilerAccess) -> list[Verdict]:
        fine = next((t.label for t in case.ran), "")
        if case.broken:
            return [
                _of_broken(verdict(self.name, t), case.broken) for t in case.programs if t.outcome.status in _DEADLY
            ]
        return [verdict(self.name, t, fine) for t in case.programs if failed(t)]

    def triggers(self, verdict: Verdict, case: Case, access: CompilerAccess) -> bool:
        """The same error, that is: a smaller program may well fail in another way."""
        again = (v for v in self.judge(case, access) if v.same_fault(verdict))
        return any(v.signature == verdict.signature for v in again)


_CPP_ERROR = re.compile(r"\S+:\d+:\d+: (?:fatal )?error: (.*)")
"""How g++ and clang++ tell of an error, behind the place where it is."""


_GOT = re.compile(r"\bgot (\w+)\(['\"]((?:(?!\\n)[^'\"])+)")
"""How Dynamo tells of the error of an operator that it tried on types alone, within a longer explanation."""

_FRAME = re.compile(r'^ *File "(?!<model>)[^"\n]*", line \d+,? in ([^\n(]+)', re.MULTILINE)
"""A frame of a traceback: Python's own, TVM's of C++, and what faulthandler writes where a process dies.

That of the program itself says nothing of the compiler.
"""

_INNERMOST_FIRST = re.compile(r"^(?:Current thread|Thread) .*\(most recent call first\)", re.MULTILINE)
"""How faulthandler begins; some errors of C++ say the same of frames of their own, within their text."""

_CPP_CHECK = re.compile(r"\S+\.(?:cc|cpp|h|hpp):\d+:? (.+)")
"""How C++ tells of a check that failed: the place, the function, and what does not hold."""

_TEMPLATE = re.compile(r" ?\[with [^\]]*\]|<[^<>]*>")
"""Arguments of templates, which differ where one check fails for several types."""

_CAUSED = re.compile(r"^(?:The above exception was the direct cause|During handling of the above)", re.MULTILINE)

_FRAMES = 2

WHERE = " | in "
"""Stands between what an error says and where it happened, in signatures."""


def failed(t: Program) -> bool:
    """Whether the compiler is to blame for what became of a program."""
    return t.outcome.status in _KINDS


def verdict(oracle: str, t: Program, fine: str = "") -> Verdict:
    """A program that failed; ``fine`` is the label of an equivalent one that did not."""
    kind = _KINDS[t.outcome.status]
    first = headline(t.outcome.message) or t.outcome.status
    message = f"{t.label} does not {_STAGES.get(t.outcome.stage, 'run')}: {first}"
    if fine:
        message += f" (its equivalent {fine} did not)"
    where = f"{t.outcome.stage} {_normal(_WITHIN.sub('', first))}{_top_frames(t.outcome.traceback)}"
    signature = f"{kind} {_failed_check(first) or where}"
    return Verdict(oracle, kind, t.label, fine, message, signature, culprit=t.label)


def _of_broken(verdict: Verdict, broken: str) -> Verdict:
    """The verdict with the constraint that was broken on purpose: where a process dies, that tells failures apart."""
    message = f"{verdict.message} (an error was due: {broken})"
    return replace(verdict, message=message, signature=f"{verdict.signature} {_normal(broken)}")


def headline(message: str) -> str:
    """The first line, and as many more as it takes to say something: a line that ends in a colon announces the next.

    Behind it what a compiler of C++ has to say, if one was called, or the error that Dynamo met.
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    said = next((n for n, line in enumerate(lines, 1) if not line.endswith(":")), len(lines))
    error = next((f": {match[1]}" for line in lines[said:] if (match := _CPP_ERROR.match(line))), "")
    if not error and (met := _GOT.search(message)):
        error = f": {met[1]}: {met[2]}"
    return " ".join(lines[:said]) + error


def without_made(signature: str, operators: Collection[str]) -> str:
    """A failure's signature, without the names of operators that the program lacks: it has ``operators``.

    The compiler makes such operators when it expands others. The check that failed is the same for all of them. It is
    also the same under each status of ONNX Runtime: an If, a Loop or a Scan hides the status.
    """
    made = {*_OPERATOR.findall(signature)} - {*operators}
    for name in made:
        signature = re.sub(rf"\b{name}\b", "_", signature)
    return _STATUS.sub("", signature) if made else signature


def _failed_check(headline: str) -> str:
    """The check of C++ that failed, if the error names one; it may fail for several operators, and at any stage."""
    found = _CPP_CHECK.search(headline)
    text = found[1] if found else ""
    while text != (shorter := _TEMPLATE.sub("", text)):
        text = shorter
    return _normal(text)


def _top_frames(traceback: str) -> str:
    """The functions in which the first of a chain of errors happened, the innermost first; empty where none is told."""
    first = _CAUSED.split(traceback)[0]
    frames = [_normal(name.strip()) for name in _FRAME.findall(first)]
    innermost = frames[:_FRAMES] if _INNERMOST_FIRST.search(first) else frames[: -_FRAMES - 1 : -1]
    return WHERE + ", ".join(innermost) if innermost else ""


_OF_THE_PROGRAM = re.compile(
    r"'[^']*'|\"[^\"]*\"|/\S+|\w*0x[0-9a-f]+(?:_[\w:]+)?|(?<!\w)_*(?:polyjuice:[\w:]+|[cdvx]\d+)(?!\w)"
)
"""What an error quotes, paths, addresses, and names of a program's values, some of which begin with an address."""

_WITHIN = re.compile(r"^.*(?:Graph attribute inferencing failed: |Status Message: (?=Non-zero status code))")
"""How ONNX Runtime begins to say what is wrong within an If, a Loop or a Scan."""

_STATUS = re.compile(r"\w+: \[ONNXRuntimeError\] : N : [A-Z_]+ : ")
"""How ONNX Runtime begins to say what is wrong, in a signature."""

_OPERATOR = re.compile(r"\bfor operator ([A-Z]\w*)")
"""How an error names the operator for which a check of all operators failed, rather than the place of the failure."""


def _normal(message: str) -> str:
    """The message without what differs from case to case: numbers, names, paths, and element types."""
    message = re.sub(r"tensor\(\w+\)", "tensor(_)", _OF_THE_PROGRAM.sub("_", message))
    return re.sub(r"\d+", "N", message)[:200]
