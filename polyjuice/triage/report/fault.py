"""Describe a fault: a predicate for the title, and the compiler's error without noise."""

from __future__ import annotations

import re

from polyjuice.execution import Outcome, Status
from polyjuice.oracles import find as find_oracle
from polyjuice.oracles import kind_of
from polyjuice.oracles.case import MISTYPED
from polyjuice.oracles.failures import headline
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.report import place

_STAGES = {"load": "load", "compile": "compile", "run": "run"}


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
        return text.format(level=place.level_name(record.compiler, record.level))
    return f"gives {wrong(record)}" + (" on the second run" if _takes_two_runs(record) else "")


def _takes_two_runs(record: FindingRecord) -> bool:
    """Whether a program is wrong only on its second run: otherwise reduction leaves one set of inputs."""
    return bool(record.reduction) and record.inputs == 1 and len(record.profiles) == 2


def failure(outcome: Outcome) -> dict[str, str]:
    """The end of a failed run, in the form that a record keeps."""
    return {"status": outcome.status, "stage": outcome.stage, "error": headline(outcome.message)}


_PLACE_IN_SOURCE = re.compile(r"\S*/([\w.]+\.(?:h|cc|cpp|cu):\d+) [^\n]*?\)(?: const)?(?: \[with [^\n]*\])? ")
"""Where C++ raised an error: the path, the line, and the function's long signature."""

_STATUS = re.compile(
    r"(?<=: )\[ONNXRuntimeError\] : \d+ : \w+ : (?:Exception during (?:initialization|loading): )?"
    r"|Non-zero status code returned while running |(?<= node)\. Name:'[^']*' Status Message(?=: )"
)
"""ONNX Runtime's words around the error proper."""


def error(record: FindingRecord) -> str:
    """The first line of a failure's error, without noise; "" where it is not known."""
    return _PLACE_IN_SOURCE.sub(r"\1: ", _STATUS.sub("", record.failure.get("error", "")))


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
    stage = _STAGES.get(record.failure.get("stage", ""), "compile and run")
    if kind_of(record.kind).endless:
        return f"does not {stage} within the time limit"
    if record.failure.get("status") == Status.crash:
        return "ends the process" + (f" when it should {stage}" if stage != "compile and run" else "")
    return f"fails to {stage}"


def without_label(record: FindingRecord) -> str:
    """The verdict's message without the label of the program."""
    return record.message.removeprefix(f"{record.a}: ")
