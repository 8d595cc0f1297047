"""A case of a suite: a pair of graphs on inputs, checked by the interpreter, as small files that people can read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from polyjuice import pipeline, program_formats
from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.inputs import mode
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph
from polyjuice.lower import Unlowerable
from polyjuice.numerics import SAFETY, Analysis, analyse, distance
from polyjuice.oracles import Case, InputSet
from polyjuice.suite import archive
from polyjuice.suite.lowering import Lowering

_TOLERANCE = """\
A result without rounding (integers that its type holds, all the way) must be equal bit for bit. Any other element may \
differ from float64 by twice its error bound. The bound follows from the graph: each operator carries on the errors of \
its operands, and adds its rounding. Elements that depend on an unstable decision, a pole or an overflow are masked."""


class Unfit(Exception):
    """A pair that makes no case; the message says why."""


class Unequal(Exception):
    """Two graphs that should be equal are not: a rule is wrong. The message says how they differ."""


@dataclass(frozen=True)
class About:
    """The parts of ``case.json`` besides the programs: why they are equal, their origin, and their features."""

    why: Mapping[str, Any]
    origin: Mapping[str, Any]
    exercises: Mapping[str, Any] = field(default_factory=dict)


def lowered(
    sides: Mapping[str, tuple[Graph, LoweringChoices | str]],
    profile: str,
    inputs: Sequence[np.ndarray],
    formats: Sequence[str],
    lowering: Lowering,
    repeated: Mapping[str, int] = MappingProxyType({}),
) -> Case:
    """The sides as programs in every format, each by its lowering choices, or by a key that draws them.

    The values of inputs are ``repeated`` along some axes. Raises Unfit where a format cannot express one of the sides.
    """
    sets = [InputSet(profile=profile, arrays=tuple(inputs), mode=mode(profile))]
    programs = []
    for format in formats:
        for side, (graph, by) in sides.items():
            try:
                artifact = lowering.lower(graph, format, by, repeated)
            except Unlowerable as error:
                raise Unfit(f"unsupported: {error}") from None
            programs.append(pipeline.prepare(side, graph, artifact, sets))
    return Case(sets=sets, programs=programs)


def write(folder: Path, case: Case, about: About, seed: Graph | None = None) -> None:
    """Write a case to a new folder, after all checks; all its graphs must be equal to ``seed``, if given.

    Raises Unfit where a graph has no value, or all elements are masked. Raises Unequal where the graphs differ.
    """
    (only,) = case.sets
    graphs = {program.label: program.graph for program in case.programs}
    formats = list(dict.fromkeys(program.artifact.format for program in case.programs))
    arrays = {f"input_{i}": array for i, array in enumerate(only.arrays)}
    outputs = _judge(graphs, only, formats, arrays, seed)
    programs: dict[str, dict[str, Any]] = {}
    sources: dict[str, bytes] = {}
    for program in case.programs:
        side, artifact = program.label, program.artifact
        file = program_formats.find(artifact.format).suite_file.format(side)
        sources[file] = artifact.source.encode() if isinstance(artifact.source, str) else artifact.source
        programs.setdefault(artifact.format, {})[side] = _program(file, artifact, side, arrays)
    first = next(iter(graphs.values()))
    described = {
        "why_equal": about.why,
        "exercises": about.exercises,
        "tolerance": _TOLERANCE,
        "profile": only.profile,
        "origin": about.origin,
        "operators": {side: len(graph) for side, graph in graphs.items()},
        "inputs": [{"dtype": t.dtype, "shape": list(t.shape)} for t in first.input_types],
        "outputs": outputs,
        "programs": programs,
    }
    folder.mkdir(parents=True)
    for file, source in sources.items():
        (folder / file).write_bytes(source)
    archive.save(folder / "inputs.npz", arrays)
    (folder / "case.json").write_text(_readable(described), encoding="utf-8")


def _readable(described: Mapping[str, Any]) -> str:
    """JSON with lists of numbers or names on one line each."""
    text = json.dumps(described, indent=1)
    return re.sub(r"\[[^\[\]{}]*\]", lambda match: re.sub(r"\s*\n\s*", " ", match[0]), text) + "\n"


def _judge(
    graphs: Mapping[str, Graph],
    inputs: InputSet,
    formats: Sequence[str],
    arrays: dict[str, np.ndarray],
    seed: Graph | None,
) -> list[dict[str, Any]]:
    """Add the expected results and the tolerances to the arrays; returns a description of each output."""
    first, *others = graphs.values()
    modes = {format: mode(inputs.profile, format) for format in ("", *formats)}
    try:
        sets = [replace(inputs, mode=one) for one in dict.fromkeys(modes[format] for format in formats)]
        problems = pipeline.equivalent(seed or first, [first, *others] if seed else others, sets)
        if problem := next(filter(None, problems), ""):
            raise Unequal(problem)
        analyses = {
            (side, one): analyse(graph, inputs.arrays, mode=one)
            for side, graph in graphs.items()
            for one in {*modes.values()}
        }
        plain = {side: evaluate(graph, inputs.arrays) for side, graph in graphs.items()}
    except EvaluationError as error:
        raise Unfit(f"no value: {error}") from None
    outputs = []
    side_a = next(iter(graphs))
    for k, of_a in enumerate(analyses[side_a, modes[""]]):
        arrays[f"expected_{k}"] = of_a.reference
        known_at = []
        for side in graphs:
            allowed = {
                format: _allowed(analyses[side, one][k], of_a.reference, plain[side][k])
                for format, one in modes.items()
            }
            for format, own in allowed.items():
                if not (format and np.array_equal(own, allowed[""])):
                    arrays[f"allowed_{side}_{k}{'_' if format else ''}{format}"] = _small(own)
            known_at.append(np.isfinite(allowed[""]))
        exact = all(analyses[side, modes[""]][k].exact for side in graphs)
        outputs.append(
            {
                "dtype": of_a.type.dtype,
                "shape": list(of_a.type.shape),
                "rung": "exact" if exact else "bounded",
                "masked": int(sum(np.size(known) - known.sum() for known in known_at)),
            }
        )
        if not any(known.any() for known in known_at):
            outputs[-1]["rung"] = "masked"
    if all(output["rung"] == "masked" for output in outputs):
        raise Unfit("none of its elements could be compared")
    return outputs


def _allowed(analysis: Analysis, reference: np.ndarray, plain: np.ndarray) -> np.ndarray:
    """The tolerance for a result around the reference of another side.

    It is the distance of the two references plus the side's own error bound. If our interpreter has a larger error in
    the types of the graph, that error is the tolerance: a compiler may do as badly as plain arithmetic.
    """
    bound = SAFETY * analysis.bound + distance(analysis.reference, reference)
    allowed: np.ndarray = np.maximum(bound, distance(plain, reference))
    return allowed


def _small(allowed: np.ndarray) -> np.ndarray:
    """A single number where all are the same."""
    same = allowed.size and np.all(allowed == allowed.reshape(-1)[0])
    return np.asarray(allowed.reshape(-1)[0]) if same else allowed


def _program(file: str, artifact: Artifact, side: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """The entry of a program, with all that a worker needs to call it; its arrays join those of the case."""
    # The weights of programs in Python are named after their values; the inputs of ONNX models are not.
    names = {
        name: f"{side}_{name}" if program_formats.find(artifact.format).binary else name for name in artifact.arrays
    }
    arrays.update((names[name], array) for name, array in artifact.arrays.items())
    return {
        "file": file,
        "arrays": list(names.values()),
        "arguments": [names[name] for name in artifact.arguments],
        "results": artifact.results,
        "setup": dict(artifact.setup),
        "idioms": list(artifact.idioms),
    }
