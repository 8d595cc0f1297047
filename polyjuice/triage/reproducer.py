"""Stand-alone reproducers: one Python file beside the arrays, which needs NumPy and the compiler's framework only.

The models are the very texts that ran. How the compiler is called comes from the compiler file (``REPRO``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from polyjuice.compilers import CompilerInfo
from polyjuice.execution import Artifact
from polyjuice.ir import dtypes
from polyjuice.oracles import Case, Verdict
from polyjuice.triage import templates
from polyjuice.triage.circumstances import Circumstances

#: What a verdict is shown by: its oracle's template, unless its kind has one.
_BY_ORACLE = {
    "metamorphic": templates.MISMATCH,
    "gradient": templates.MISMATCH,
    "differential": templates.DIFFERENTIAL,
    "optlevel": templates.OPTLEVEL,
    "determinism": templates.DETERMINISM,
}
_BY_KIND = {
    "crash": templates.CRASH,
    "hang": templates.CRASH,
    "slow": templates.SLOW,
    "memory": templates.MEMORY,
}


def write(how: Circumstances, case: Case, verdict: Verdict, a: Artifact, b: Artifact | None) -> str:
    """The text of ``repro.py``; ``a`` and ``b`` are the artifacts of the verdict's sides."""
    mistyped = verdict.kind == "mismatch" and verdict.allowed is None
    tail = templates.MISTYPED if mistyped else _BY_KIND.get(verdict.kind) or _BY_ORACLE[verdict.oracle]
    fails = tail is templates.CRASH
    if case.broken:
        tail = templates.DEATH
    gradient = verdict.oracle == "gradient"
    further = ["import tempfile"] if tail is templates.OPTLEVEL else []
    head = templates.HEAD.substitute(
        title=f"{how.compiler.name}: {verdict.message}".replace("\\", "\\\\").replace('"""', "'''"),
        limit=int(how.limit_s),
        on_hang=1 if verdict.kind == "hang" else 2,
        on_death=1 if fails else 2,
        imports="\n".join(f"    {line}" for line in [*further, *_imports(how.compiler)]),
        setup=how.compiler.repro.strip(),
    )
    harness = templates.HARNESS[a.format].substitute(
        count=len(case.inputs[verdict.inputs]),
        device=how.conditions.device,
        gradients=templates.GRADIENTS if gradient else "",
        gradient_option=", gradient=True" if gradient else "",
        results="gradients(call(), inputs)" if gradient else "call()",
        types=templates.TYPES[a.format] if mistyped else "",
    )
    sides = {"A": a} if fails or b is None else {"A": a, "B": b}
    if mistyped:
        side = "B" if verdict.culprit == verdict.b else "A"
        sides = {side: sides[side]}
    models = "\n".join(_class(name, artifact) for name, artifact in sides.items() if artifact.format != "onnx")
    elsewhere = fails or (mistyped and verdict.culprit != verdict.a)
    level = (verdict.level if elsewhere else "") or how.conditions.level
    declared = case.of(verdict.a).graph.output_types[verdict.output]
    calls = [_call(name, artifact, {"level": level} if level else {}) for name, artifact in sides.items()]
    compared = tail.substitute(
        a=calls[0],
        b=calls[-1],
        output=verdict.output,
        a_label=verdict.culprit if mistyped else verdict.a,
        b_label=verdict.b or _OTHER.get(verdict.oracle, "again"),
        level=verdict.level,
        dtype=declared.dtype,
        shape=list(declared.shape),
    )
    return head + harness + models + compared


_OTHER = {"differential": "float64", "optlevel": "at the other level"}


def _imports(compiler: CompilerInfo) -> list[str]:
    """The import lines of the compiler's snippet, which belong where a missing framework is caught."""
    return [line for line in compiler.repro_imports.strip().splitlines() if line]


def lowered_name(side: str) -> str:
    """The file beside the reproducer that holds the ONNX model of side A or B as it was compiled."""
    return f"{side.lower()}.lowered.onnx"


def _call(name: str, artifact: Artifact, level: Mapping[str, str]) -> str:
    """The arguments of ``program`` for one side."""
    model = f'"{lowered_name(name)}"' if artifact.format == "onnx" else name
    further = {"arguments": list(artifact.arguments)} if artifact.arguments else {}
    return ", ".join([model, *(f"{key}={value!r}" for key, value in {**further, **artifact.setup, **level}.items())])


def _class(name: str, artifact: Artifact) -> str:
    """The model's class under another name, without the imports that the file already has."""
    assert isinstance(artifact.source, str)
    body = re.sub(r"^import .*\n", "", artifact.source, flags=re.MULTILINE).strip()
    return body.replace("class Model(", f"class {name}(", 1) + "\n\n"


def input_name(i: int, other_set: int | None = None) -> str:
    """The name in ``inputs.npz`` of an input of the set that shows the fault, or of another that the program had."""
    return f"input_{i}" if other_set is None else f"set_{other_set}_input_{i}"


def stored_arrays(case: Case, verdict: Verdict, artifacts: list[Artifact]) -> dict[str, np.ndarray]:
    """What ``inputs.npz`` holds: inputs, constants, and the allowed differences; bfloat16 as the uint16 of its bits."""
    arrays = {
        input_name(i, None if number == verdict.inputs else number): array
        for number, inputs in enumerate(case.inputs)
        for i, array in enumerate(inputs)
    }
    for artifact in artifacts:
        arrays.update(artifact.arrays)
    if verdict.allowed is not None:
        arrays["allowed"] = verdict.allowed
    if verdict.expected is not None:
        arrays["expected"] = verdict.expected
    bfloat16 = dtypes.to_numpy("bfloat16")
    return {
        (f"{name}@bfloat16" if array.dtype == bfloat16 else name): (
            array.view(np.uint16) if array.dtype == bfloat16 else array
        )
        for name, array in arrays.items()
    }
