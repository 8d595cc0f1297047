"""Describe a fault: a predicate, the compiler's levels and parts that show it, its error, and a short stack trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from polyjuice.compilers import CompilerInfo, EnvironmentProblem, find
from polyjuice.execution import Outcome, Status, changes
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles import kind_of
from polyjuice.oracles.case import MISTYPED
from polyjuice.oracles.failures import headline
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.record import FindingRecord

#: A title names at most this many parts: a larger set says nothing about the cause.
_FEW = 2


def at_level(record: FindingRecord) -> str:
    """The lowest optimization level that shows the fault, as a phrase; "" where it is unknown or tells nothing."""
    if not changes.is_level(record.level):
        return "" if kind_of(record.kind).values else f" {record.level}"
    if find_oracle(record.oracle).compares_levels and kind_of(record.kind).values:  # which is about two levels
        return ""
    found, known = _lowest(record), _levels(record.compiler)
    if not found or (known[-1:] == (found,) and not _level_names(record.compiler)):
        return ""
    return f" {'even ' if known[:1] == (found,) else ''}at {level_name(record.compiler, found)}"


def level_name(compiler: str, level: str) -> str:
    """The compiler's own name for a level."""
    return _level_names(compiler).get(level, f"level {level}" if level.isdecimal() else level)


def levels(record: FindingRecord, trial: str) -> list[str]:
    """The lower levels with this result in bisection: shown, gone or broken."""
    tried = record.bisection.get("levels") or {}
    return [level_name(record.compiler, name) for name, result in tried.items() if result == trial]


def parts(record: FindingRecord) -> Sequence[str]:
    """The parts of the compiler to blame; none where bisection named too many, or was not finished."""
    complete = record.bisection.get("complete", True)
    return record.blame if complete and len(record.blame) <= _FEW else ()


def is_isolated(record: FindingRecord) -> bool | None:
    """Whether bisection named a part; None where it did not finish."""
    if not record.bisection.get("shown") or not record.bisection.get("complete", True):
        return None
    return bool(parts(record))


def _lowest(record: FindingRecord) -> str:
    tried = record.bisection.get("levels") or {}
    shown = [name for name, result in tried.items() if result == "shown"]
    if shown:
        return str(shown[0])
    default = next(reversed(_levels(record.compiler)), "") if tried else ""
    return str(record.level or record.conditions.get("level") or default)


def valid(record: FindingRecord) -> str:
    """Why a finding's program is valid, if its compiler says so of all programs; else ""."""
    info = _info(record.compiler)
    return info.valid if info else ""


def _levels(compiler: str) -> tuple[str, ...]:
    info = _info(compiler)
    return info.levels if info else ()


def _level_names(compiler: str) -> Mapping[str, str]:
    info = _info(compiler)
    return info.level_names if info else {}


def _info(compiler: str) -> CompilerInfo | None:
    """The compiler's description; None for a plugin that is not here."""
    try:
        return find(compiler)
    except EnvironmentProblem:
        return None


def predicate(record: FindingRecord) -> str:
    """The predicate of the wrong program, as in "X gives wrong values"."""
    kind = kind_of(record.kind)
    if kind.failure:
        return _failure(record)
    if not kind.values:
        return kind.predicate.format(message=without_label(record))
    if record.comparison in (MISTYPED, ZEROS):
        return f"gives {_mistyped(record) or wrong(record)}"
    texts = find_oracle(record.oracle).predicates
    text = texts.undecided if not record.culprit else texts.first if record.culprit == record.a else texts.other
    if text:
        return text.format(level=level_name(record.compiler, record.level))
    return f"gives {wrong(record)}" + (" on the second run" if _takes_two_runs(record) else "")


def _takes_two_runs(record: FindingRecord) -> bool:
    """Whether a program is wrong only on its second run: otherwise reduction leaves one set of inputs."""
    return bool(record.reduction) and record.inputs == 1 and len(record.profiles) == 2


def failure(outcome: Outcome) -> dict[str, str]:
    """The end of a failed run, in the form that a record keeps."""
    return {"status": outcome.status, "stage": outcome.stage, "error": headline(outcome.message)}


_PLACE_IN_SOURCE = re.compile(r"\S*/([\w.]+\.(?:h|cc|cpp|cu):\d+) [^\n]*?\)(?: const)?(?: \[with [^\n]*\])? ")
"""Where C++ raised an error: the path, the line, and the function's long signature."""

_SIGNAL = re.compile(r"the process was ended by (\w+).*")
"""The end of a process, of which a report has said that the compiler ended it."""

_STATUS = re.compile(
    r"(?<=: )\[ONNXRuntimeError\] : \d+ : \w+ : (?:Exception during (?:initialization|loading): )?"
    r"|Non-zero status code returned while running |(?<= node)\. Name:'[^']*' Status Message(?=: )"
)
"""ONNX Runtime's words around the error proper."""


def error(record: FindingRecord) -> str:
    """The first line of a failure's error, without noise; "" where it is not known."""
    text = _SIGNAL.sub(r"\1", record.failure.get("error", ""))
    return _PLACE_IN_SOURCE.sub(r"\1: ", _STATUS.sub("", text))


def is_special(text: str) -> bool:
    """Whether the text of a number means NaN or an infinity."""
    return text.lower().lstrip("+-") in ("nan", "inf", "infinity")


def wrong(record: FindingRecord) -> str:
    """What is wrong about the result, without its numbers: "NaN instead of a number". Findings of a cause share it."""
    kind = kind_of(record.kind)
    if not kind.values:
        return record.comparison if kind.comparison_matters else ""
    if record.comparison == MISTYPED:
        got, due = record.result.get("got_type") or [""], record.result.get("due_type") or [""]
        return "a wrong shape" if got[0] == due[0] else f"element type {got[0]} instead of {due[0]}"
    if record.comparison == ZEROS:
        return "zeros of the wrong sign"
    got = {_class(row["compiled"].get(record.culprit, "")) for row in record.values}
    due = {_class(row["float64"]) for row in record.values}
    return f"{got.pop()} instead of {due.pop()}" if len(got) == len(due) == 1 and got != due else "wrong values"


def _class(text: str) -> str:
    return "NaN" if "nan" in text.lower() else "an infinity" if is_special(text) else "a number"


def _mistyped(record: FindingRecord) -> str:
    """The wrong element type and the wrong shape of a result; "" where only its zeros are wrong."""
    got, due = record.result.get("got_type"), record.result.get("due_type")
    if record.comparison != MISTYPED or not got or not due:
        return ""
    (got_dtype, got_shape), (due_dtype, due_shape) = got, due
    differences = [f"element type {got_dtype} instead of {due_dtype}"] if got_dtype != due_dtype else []
    differences += [f"shape {list(got_shape)} instead of {list(due_shape)}"] if got_shape != due_shape else []
    return " and ".join(differences)


def _failure(record: FindingRecord) -> str:
    """How the compiler fails, without its error."""
    stage = record.failure.get("stage", "")
    stage = stage if stage in ("load", "compile", "run") else "compile and run"
    if kind_of(record.kind).endless:
        return f"does not {stage} within the time limit"
    if record.failure.get("status") == Status.crash:
        return "ends the process" + (f" when it should {stage}" if stage != "compile and run" else "")
    return f"fails to {stage}"


def without_label(record: FindingRecord) -> str:
    """The verdict's message without the label of the program."""
    return record.message.removeprefix(f"{record.a}: ")


#: How many frames of each trace are kept.
_KEPT = 6

#: The most lines of a message that is shown whole, and how many to keep at each end of a longer one.
_WHOLE, _ENDS = 30, 12

#: The most characters of a line that is shown whole: calls of a C++ compiler take thousands.
_LINE = 300

_FRAME = re.compile(r'\s*File "([^"]*)", line \d+')
_OWN = re.compile(r"(?:^|/)polyjuice/")
_MARKS = re.compile(r"\s*[~^]+\s*")
_INNERMOST_FIRST = "(most recent call first)"


_PACKAGES = re.compile(r"/[^\s\"':]*/site-packages/")


def cut_output(text: str) -> str:
    """A program's output, without the middle of a long text and without the folders of installed packages."""
    return "\n".join(map(_line, _message(_PACKAGES.sub("", text).splitlines())))


def cut_stack(text: str) -> str:
    """A trace by Python or faulthandler, without most of its frames."""
    lines: list[str] = []
    innermost_first = False
    for frames, others in _runs(_PACKAGES.sub("", text).strip().splitlines()):
        lines += _frames(frames, innermost_first)
        lines += _message(others)
        innermost_first = any(_INNERMOST_FIRST in line for line in others)
    return "\n".join(map(_line, lines))


def _line(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[:_LINE]} ..."


def _runs(lines: Sequence[str]) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Runs of frames, each a list of its lines, with the lines after each run; without markers below source."""
    frames: list[list[str]] = []
    others: list[str] = []
    for line in lines:
        if _FRAME.match(line):
            if others:
                yield frames, others
                frames, others = [], []
            frames.append([line])
        elif frames and not others and line.startswith("    "):
            if not _MARKS.fullmatch(line):
                frames[-1].append(line)
        else:
            others.append(line)
    yield frames, others


def _frames(frames: Sequence[Sequence[str]], innermost_first: bool) -> list[str]:
    foreign = [frame for frame in frames if not _OWN.search(_path(frame))]
    kept = foreign[:_KEPT] if innermost_first else foreign[-_KEPT:]
    left = len(frames) - len(kept)
    left_out = [f"  ... {left} frame{'s' if left > 1 else ''}"] if left else []
    shown = [line for frame in kept for line in frame]
    return [*shown, *left_out] if innermost_first else [*left_out, *shown]


def _path(frame: Sequence[str]) -> str:
    match = _FRAME.match(frame[0])
    return match[1] if match else ""


def _message(lines: Sequence[str]) -> Sequence[str]:
    if len(lines) <= _WHOLE:
        return lines
    return [*lines[:_ENDS], f"... {len(lines) - 2 * _ENDS} lines", *lines[-_ENDS:]]
