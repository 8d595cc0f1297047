"""Describe a fault: a predicate for the title, and the compiler's error without noise."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    if record.rung == MISTYPED:
        return _mistyped(record)
    if record.rung == ZEROS:
        return "gives zeros of the wrong sign"
    texts = find_oracle(record.oracle).predicates
    text = texts.undecided if not record.culprit else texts.first if record.culprit == record.a else texts.other
    if text:
        return text.format(level=place.level_name(record.compiler, record.level))
    return _values(record) + (" on the second run" if _takes_two_runs(record) else "")


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


def _values(record: FindingRecord) -> str:
    got = [str(row["compiled"].get(record.culprit, "")) for row in record.values]
    due = [str(row["float64"]) for row in record.values]
    if _all_are(got, "nan") and not any(map(is_special, due)):
        return "gives NaN instead of a number"
    if _all_are(due, "nan") and not any(map(is_special, got)):
        return "gives a number instead of NaN"
    if _all_are(got, "inf") and not any(map(is_special, due)):
        return "gives an infinity instead of a number"
    return "gives wrong values"


def _all_are(texts: Sequence[str], special: str) -> bool:
    return bool(texts) and all(text.lower().lstrip("+-") == special for text in texts)


def _mistyped(record: FindingRecord) -> str:
    got, due = record.result.get("got_type"), record.result.get("due_type")
    if not got or not due:
        return "gives a wrong element type" if "element type" in record.message else "gives a wrong shape"
    (got_dtype, got_shape), (due_dtype, due_shape) = got, due
    differences = [f"element type {got_dtype} instead of {due_dtype}"] if got_dtype != due_dtype else []
    differences += [f"shape {list(got_shape)} instead of {list(due_shape)}"] if got_shape != due_shape else []
    return f"gives {' and '.join(differences)}"


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
