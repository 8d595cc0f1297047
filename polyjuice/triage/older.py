"""Convert ``finding.json`` of earlier versions to the current form."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from polyjuice import pipeline
from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import Status
from polyjuice.frameworks.choosers import Chooser
from polyjuice.frameworks.forms import ALL
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.frameworks.onnx import graph_files
from polyjuice.ir import Graph
from polyjuice.oracles.failures import WHERE
from polyjuice.triage.causes import BY, by_part, fails


class Spelling(TypedDict):
    """The keys from which the lowering choices of one side were drawn (see :func:`_choices`)."""

    key: str
    repeated: Mapping[str, int]
    unknown_sizes: float
    called: NotRequired[Mapping[str, str]]
    avoided: NotRequired[Sequence[str]]
    said: NotRequired[Sequence[str]]


class Conditions(TypedDict):
    """The fields that the conversions use of a finding's conditions."""

    opset: int


class Older(TypedDict, total=False):
    """The fields that the conversions use of a ``finding.json``, of any version."""

    kind: str
    signature: str
    cause: str
    blame: Sequence[str]
    message: str
    compiler: str
    versions: Mapping[str, str]
    a: str
    conditions: Conditions
    spellings: Mapping[str, Spelling]


def with_choices(folder: Path, data: Mapping[str, Any], limits: graph_files.ReadLimits) -> dict[str, Any]:
    """Return the content of a ``finding.json`` with ``choices`` in place of older ``spellings``, if it has these.

    Older findings stored the keys from which lowering choices were drawn; this draws them again. Raises
    EnvironmentProblem, FormatError, and KeyError where a spelling lacks something.
    """
    if not data.keys() >= {"spellings", "compiler", "conditions", "a"}:
        return dict(data)
    compiler, opset = find(data["compiler"]), data["conditions"]["opset"]
    files = {label: folder / ("a.onnx" if label == data["a"] else "b.onnx") for label in data["spellings"]}
    choices = {
        label: _choices(data["spellings"][label], graph_files.load(file, limits), compiler, opset)
        if file.is_file()
        else {}
        for label, file in files.items()
    }
    return {**data, "choices": choices}


def with_cause(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a ``finding.json`` with a separate cause: triage once overwrote the signature."""
    if data.get("cause"):
        return dict(data)
    seen, parts = _parted(data["kind"], data["signature"])
    blame = list(data.get("blame") or (parts.split(" and ") if parts else ()))
    if not blame:
        return {**data, "blame": [], "cause": ""}
    signature = seen if fails(data["kind"]) else data["signature"]
    return {**data, "signature": signature, "blame": blame, "cause": by_part(data["kind"], signature, blame)}


def _parted(kind: str, signature: str) -> tuple[str, str]:
    """Split the signature of a triaged finding into the original signature and the parts to blame (or "")."""
    error, where, rest = signature.rpartition(WHERE) if fails(kind) else ("", "", signature)
    seen, by, parts = rest.partition(BY)
    is_blame = by and (where or seen == kind)  # an error may have the word in its own text
    return (error + where + seen, parts) if is_blame else (signature, "")


_BEHIND_ERROR = r"(?: \(its equivalent \S+ did not\)| \(an error was due: .*\))*"
_FAILED = re.compile(rf".*? (?:failed in|does not) (\w+): (.*?){_BEHIND_ERROR}", re.DOTALL)


def with_failure(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a ``finding.json`` with ``failure`` (how the run ended), parsed from its message."""
    match = _FAILED.fullmatch(str(data.get("message", ""))) if "kind" in data and fails(data["kind"]) else None
    if "failure" in data or not match:
        return dict(data)
    status = Status.crash if match[2].startswith("the process ") else Status.error
    return {**data, "failure": {"status": status, "stage": match[1], "error": match[2]}}


def _choices(stored: Mapping[str, Any], graph: Graph, compiler: CompilerInfo, opset: int) -> Any:
    """The lowering choices that a spelling stands for; none where the graph can no longer be lowered.

    A spelling has the ``key``, the axes along which inputs are ``repeated``, and the number of ``unknown_sizes``. It
    may also have former names of values (``called``), the forms ``avoided`` (default: all), and the seed model's forms
    (``seed_forms``).
    """
    key, called = stored["key"], stored.get("called", {})
    former = {name: called.get(name, name) for name in graph.inputs}
    try:
        artifact = pipeline.lower(
            graph,
            Chooser(lambda subject, value: random.Random(f"lower {key}: {subject} {called.get(value, value)}")),
            pipeline.Target(
                format=compiler.format, opset=opset, lacks=(*compiler.lacks, *stored.get("avoided", (ALL,)))
            ),
            repeated={new: stored["repeated"][old] for new, old in former.items() if old in stored["repeated"]},
            unknown_sizes=stored["unknown_sizes"],
            seed_forms=stored.get("said", ()),
        )
    except Unlowerable:
        return {}
    return artifact.choices.as_json() if artifact.choices else {}
