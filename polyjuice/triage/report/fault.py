"""Describe a fault: a predicate for the title, and the compiler's error without noise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polyjuice.execution import Outcome
from polyjuice.oracles.case import MISTYPED
from polyjuice.oracles.crash import headline
from polyjuice.oracles.zeros import ZEROS
from polyjuice.triage.record import FindingRecord
from polyjuice.triage.report import place

_STAGES = {"load": "load", "compile": "compile", "run": "run"}

#: For each oracle, the predicate where results differ and neither side is known to be wrong.
_UNDECIDED = {
    "metamorphic": "gives different values than an equivalent program",
    "gradient": "has different gradients than an equivalent program",
}
_OTHERS = {
    "nondeterministic": "gives different results from run to run",
    "slow": "runs far slower than an equivalent program that computes more",
    "memory": "takes far more memory than an equivalent program that computes more",
}


def predicate(record: FindingRecord) -> str:
    """The predicate of the wrong program, as in "X gives wrong values"."""
    if record.kind in ("crash", "hang"):
        return _failure(record)
    if record.kind == "alias":
        return f"compiled: {_without_label(record)}"
    if record.kind != "mismatch":
        return _OTHERS[record.kind]
    if record.rung == MISTYPED:
        return _mistyped(record)
    if record.rung == ZEROS:
        return "gives zeros of the wrong sign"
    if record.oracle == "optlevel":
        return _at_two_levels(record)
    if record.oracle == "gradient" and record.culprit:
        return "has wrong gradients"
    if not record.culprit:
        return _UNDECIDED.get(record.oracle, "gives wrong values")
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


def _at_two_levels(record: FindingRecord) -> str:
    other = place.level_name(record.compiler, record.level)
    if not record.culprit:
        return f"gives different values at {other} than at the default level"
    if record.culprit == record.a:
        return f"gives wrong values at the default level, but not at {other}"
    return f"gives wrong values at {other}, but not at the default level"


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
    if record.kind == "hang":
        return f"does not {stage} within the time limit"
    if record.failure.get("status") == "crash":
        return "ends the process" + (f" when it should {stage}" if stage != "compile and run" else "")
    return f"fails to {stage}"


def _without_label(record: FindingRecord) -> str:
    return record.message.removeprefix(f"{record.a}: ")
