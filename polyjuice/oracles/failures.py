"""The failures of a compiler: their kinds, their verdicts, and the texts that distinguish them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import replace
from string import Template

from polyjuice.execution import Status
from polyjuice.oracles.case import Case, Program, Verdict
from polyjuice.oracles.oracle import Kind, Sides

_FAILS = Template("""\
${before}try:
    $run
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
${further}    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)""")

_DIES = Template("""\
try:
    $run
except Exception as error:
    print("the compiler raised an error, as it should:", type(error).__name__, str(error)[:2000])
print("the process is alive")
sys.exit(0)""")


def _ending(sides: Sides) -> Iterator[str]:
    if sides.case.broken:
        yield _DIES.substitute(run=sides.run("A"))
        return
    further = sides.further
    before, behind = (further, "") if sides.supervised else ("", textwrap.indent(further, "    "))
    yield _FAILS.substitute(run=sides.run("A"), before=before, further=behind)


def _table(verdict: Verdict) -> str:
    return 'lambda outputs: "runs"'


def _error(case: Case, verdict: Verdict) -> tuple[object, ...]:
    return (verdict.signature,)


HANG = Kind(
    name="hang",
    title="hang",
    failure=True,
    endless=True,
    claim="A does not compile and run within the time limit.",
    ending=_ending,
    table=_table,
)
"""The program does not compile and run within the time limit."""

CRASH = replace(HANG, name="crash", title="crash", endless=False, key=_error, claim="A does not compile and run.")
"""The program does not compile or run: the compiler raises an exception, or its process ends."""

FAILURES = (HANG, CRASH)
"""The kinds of failures."""

_KINDS = {Status.error: CRASH, Status.crash: CRASH, Status.hang: HANG}

_STAGES = {"load": "load", "compile": "compile"}
"""The verb for a failure in a stage ("does not ..."); for all other stages it is "run"."""

_CPP_ERROR = re.compile(r"\S+:\d+:\d+: (?:fatal )?error: (.*)")
"""An error of g++ or clang++, after its place."""


_GOT = re.compile(r"\bgot (\w+)\(['\"]((?:(?!\\n)[^'\"])+)")
"""The error of an operator that Dynamo tried on types alone, within Dynamo's longer explanation."""

_FRAME = re.compile(r'^ *File "(?!<model>)[^"\n]*", line \d+,? in ([^\n(]+)', re.MULTILINE)
"""A frame of a traceback: Python's own, TVM's of C++, and faulthandler's when a process dies.

A frame of the program itself is excluded: it says nothing about the compiler.
"""

_INNERMOST_FIRST = re.compile(r"^(?:Current thread|Thread) .*\(most recent call first\)", re.MULTILINE)
"""The first line of faulthandler's trace; some C++ errors have the same words about their own frames."""

_CPP_CHECK = re.compile(r"\S+\.(?:cc|cpp|h|hpp):\d+:? (.+)")
"""A failed check of C++: the place, the function, and the condition."""

_TEMPLATE = re.compile(r" ?\[with [^\]]*\]|<[^<>]*>")
"""Arguments of templates, which differ where one check fails for several types."""

_CAUSED = re.compile(r"^(?:The above exception was the direct cause|During handling of the above)", re.MULTILINE)

_FRAMES = 2

WHERE = " | in "
"""The separator, in signatures, between the text of an error and the place where it happened."""


def failed(t: Program) -> bool:
    """Whether the compiler is to blame for a program's outcome."""
    return t.outcome.status in _KINDS


def died(t: Program) -> bool:
    """Whether a program's outcome is a fault even if the program is not well typed: its process ended, or hung."""
    return t.outcome.status in (Status.crash, Status.hang)


def failure_of(oracle: str, t: Program, fine: str = "") -> Verdict:
    """The verdict on a program that failed; ``fine`` is the label of an equivalent one that did not."""
    kind = _KINDS[Status(t.outcome.status)].name
    first = headline(t.outcome.message) or t.outcome.status
    message = f"{t.label} does not {_STAGES.get(t.outcome.stage, 'run')}: {first}"
    if fine:
        message += f" (its equivalent {fine} did not)"
    where = f"{t.outcome.stage} {without_details(_WITHIN.sub('', first))}{_top_frames(t.outcome.traceback)}"
    signature = f"{kind} {_failed_check(first) or where}"
    return Verdict(
        oracle=oracle,
        kind=kind,
        a=t.label,
        b=fine,
        message=message,
        inputs=t.outcome.failed,
        signature=signature,
        culprit=t.label,
    )


def of_broken(verdict: Verdict, broken: str) -> Verdict:
    """The verdict with the constraint broken on purpose, which tells failures apart where a process dies."""
    message = f"{verdict.message} (an error was due: {broken})"
    return replace(verdict, message=message, signature=f"{verdict.signature} {without_details(broken)}")


def headline(message: str) -> str:
    """The first line of a message, and the following ones after a line that ends in a colon.

    If the message contains an error of a C++ compiler, or the error that Dynamo met, that error is appended.
    """
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    error_line = next((n for n, line in enumerate(lines, 1) if not line.endswith(":")), len(lines))
    error = next((f": {match[1]}" for line in lines[error_line:] if (match := _CPP_ERROR.match(line))), "")
    if not error and (met := _GOT.search(message)):
        error = f": {met[1]}: {met[2]}"
    return " ".join(lines[:error_line]) + error


def strip_generated_names(signature: str, operators: Collection[str]) -> str:
    """A failure's signature without names of operators outside ``operators``, those of the program.

    The compiler makes such operators when it expands others, and the failed check is the same for all of them. It is
    also the same under each status of ONNX Runtime: an If, a Loop or a Scan hides the status.
    """
    made = {*_OPERATOR.findall(signature)} - {*operators}
    for name in made:
        signature = re.sub(rf"\b{name}\b", "_", signature)
    return _STATUS.sub("", signature) if made else signature


def _failed_check(headline: str) -> str:
    """The failed check of C++, if the error names one; it may fail for several operators, and at any stage."""
    found = _CPP_CHECK.search(headline)
    text = found[1] if found else ""
    while text != (shorter := _TEMPLATE.sub("", text)):
        text = shorter
    return without_details(text)


def _top_frames(traceback: str) -> str:
    """The innermost functions of the first error in a chain, the innermost first; "" where the traceback names none."""
    first = _CAUSED.split(traceback)[0]
    frames = [without_details(name.strip()) for name in _FRAME.findall(first)]
    innermost = frames[:_FRAMES] if _INNERMOST_FIRST.search(first) else frames[: -_FRAMES - 1 : -1]
    return WHERE + ", ".join(innermost) if innermost else ""


_OF_THE_PROGRAM = re.compile(
    r"'[^']*'|\"[^\"]*\"|/\S+|\w*0x[0-9a-f]+(?:_[\w:]+)?|(?<!\w)_*(?:polyjuice:[\w:]+|[cdvx]\d+)(?!\w)"
)
"""Quoted texts, paths, addresses, and names of a program's values, some of which begin with an address."""

_WITHIN = re.compile(r"^.*(?:Graph attribute inferencing failed: |Status Message: (?=Non-zero status code))")
"""ONNX Runtime's words before an error within an If, a Loop or a Scan."""

_STATUS = re.compile(r"\w+: \[ONNXRuntimeError\] : N : [A-Z_]+ : ")
"""ONNX Runtime's words before an error, in a signature."""

_OPERATOR = re.compile(r"\bfor operator ([A-Z]\w*)")
"""The operator in an error for which a check of all operators failed, rather than the place of the failure."""


def without_details(message: str) -> str:
    """The message without what differs between cases: numbers, names, paths, and element types."""
    message = re.sub(r"tensor\(\w+\)", "tensor(_)", _OF_THE_PROGRAM.sub("_", message))
    return re.sub(r"\d+", "N", message)[:200]
