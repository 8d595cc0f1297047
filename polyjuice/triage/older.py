"""Convert ``finding.json`` of earlier versions to the current form."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polyjuice import formats, pipeline
from polyjuice.compilers import CompilerInfo, find
from polyjuice.execution import Status
from polyjuice.ir import Graph
from polyjuice.lower import Unlowerable
from polyjuice.lower.choosers import Chooser
from polyjuice.lower.forms import ALL
from polyjuice.oracles.failures import WHERE
from polyjuice.triage.causes import BY, by_part, fails


def with_choices(folder: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a ``finding.json`` with ``choices`` in place of older ``spellings``, if it has these.

    Older findings stored the keys from which lowering choices were drawn; this draws them again. Raises
    EnvironmentProblem, FormatError, and KeyError where a spelling lacks something.
    """
    if not said.keys() >= {"spellings", "compiler", "conditions", "a"}:
        return dict(said)
    compiler, opset = find(said["compiler"]), said["conditions"]["opset"]
    files = {label: folder / ("a.onnx" if label == said["a"] else "b.onnx") for label in said["spellings"]}
    choices = {
        label: _choices(said["spellings"][label], formats.load(file), compiler, opset) if file.is_file() else {}
        for label, file in files.items()
    }
    return {**said, "choices": choices}


def with_cause(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a ``finding.json`` with a separate cause: triage once overwrote the signature."""
    if said.get("cause"):
        return dict(said)
    seen, parts = _parted(said["kind"], said["signature"])
    blame = list(said.get("blame") or (parts.split(" and ") if parts else ()))
    if not blame:
        return {**said, "blame": [], "cause": ""}
    signature = seen if fails(said["kind"]) else said["signature"]
    return {**said, "signature": signature, "blame": blame, "cause": by_part(said["kind"], signature, blame)}


def _parted(kind: str, signature: str) -> tuple[str, str]:
    """Split the signature of a triaged finding into the original signature and the parts to blame (or "")."""
    error, where, rest = signature.rpartition(WHERE) if fails(kind) else ("", "", signature)
    seen, by, parts = rest.partition(BY)
    is_blame = by and (where or seen == kind)  # an error may have the word in its own text
    return (error + where + seen, parts) if is_blame else (signature, "")


_BEHIND_ERROR = r"(?: \(its equivalent \S+ did not\)| \(an error was due: .*\))*"
_FAILED = re.compile(rf".*? (?:failed in|does not) (\w+): (.*?){_BEHIND_ERROR}", re.DOTALL)


def with_failure(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a ``finding.json`` with ``failure`` (how the run ended), parsed from its message."""
    match = _FAILED.fullmatch(str(said.get("message", ""))) if "kind" in said and fails(said["kind"]) else None
    if "failure" in said or not match:
        return dict(said)
    status = Status.crash if match[2].startswith("the process ") else Status.error
    return {**said, "failure": {"status": status, "stage": match[1], "error": match[2]}}


def _choices(spelling: Mapping[str, Any], graph: Graph, compiler: CompilerInfo, opset: int) -> Any:
    """The lowering choices that a spelling stands for; none where the graph can no longer be lowered.

    A spelling has the ``key``, the axes along which inputs are ``repeated``, and the number of ``unknown_sizes``. It
    may also have former names of values (``called``), the forms ``avoided`` (default: all), and the seed model's forms
    (``said``).
    """
    key, called = spelling["key"], spelling.get("called", {})
    former = {name: called.get(name, name) for name in graph.inputs}
    try:
        artifact = pipeline.lower(
            graph,
            Chooser(lambda subject, value: random.Random(f"lower {key}: {subject} {called.get(value, value)}")),
            pipeline.Target(compiler.format, opset, (*compiler.lacks, *spelling.get("avoided", (ALL,)))),
            repeated={new: spelling["repeated"][old] for new, old in former.items() if old in spelling["repeated"]},
            unknown_sizes=spelling["unknown_sizes"],
            said=spelling.get("said", ()),
        )
    except Unlowerable:
        return {}
    return artifact.choices.as_json() if artifact.choices else {}
