"""A program as its owner wrote it, held against its own uncompiled run, where our interpreter knows nothing of it.

That is where a result depends on an operator that the table lacks. In place of error bounds stands what the uncompiled
run is off by (see :mod:`polyjuice.oracles.tolerance`), and by how much a result changes with the inputs: much at a
jump, where each side is right in its own way. An integer must be the same in all of these runs. The uncompiled run is
the framework's own, or that of ONNX's reference evaluator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from polyjuice import given
from polyjuice.execution import Artifact
from polyjuice.ir import dtypes
from polyjuice.numerics import distance, listing
from polyjuice.ops import entry
from polyjuice.oracles.case import Case, Lab, Tested, Verdict
from polyjuice.oracles.tolerance import moved, tolerance

Results = Sequence[Sequence[np.ndarray]]
"""The outputs for each set of inputs."""


def judge(oracle: str, case: Case, t: Tested, lab: Lab) -> Verdict | None:
    """The first result of which the interpreter knows nothing and that the uncompiled run contradicts."""
    if t.spelling is not None or all(map(entry, t.graph.nodes)):
        return None
    unknown = [(i, k) for i, k in _places(t) if not t.analyses[i][k].comparable]
    wide = given.in_float64(t.artifact) if unknown else None
    if wide is None:
        return None
    sets = len(case.inputs)
    plain = _uncompiled(t.artifact, case.inputs, lab)
    around = _uncompiled(wide, [moved(x, side) for side in (0.0, 1.0, -1.0) for x in case.inputs], lab)
    if plain is None or around is None:
        return None
    for i, k in unknown:
        beside = [around[sets + i][k], around[2 * sets + i][k]]
        if verdict := _output(oracle, t, i, k, plain[i][k], around[i][k], beside):
            return verdict
    return None


def _places(t: Tested) -> Iterator[tuple[int, int]]:
    return ((i, k) for i, outputs in enumerate(t.outcome.outputs) for k in range(len(outputs)))


def _uncompiled(artifact: Artifact, sets: Sequence[Sequence[np.ndarray]], lab: Lab) -> Results | None:
    """The outputs of a program on sets of inputs, without the compiler; None where it does not run."""
    if not isinstance(artifact.source, bytes):
        return lab.execute(artifact, sets, compile=False).reference
    results = []
    for inputs in sets:
        outputs = given.uncompiled(artifact.source, inputs)
        if outputs is None:
            return None
        results.append(outputs)
    return results


def _output(
    oracle: str, t: Tested, i: int, k: int, plain: np.ndarray, wide: np.ndarray, beside: Sequence[np.ndarray]
) -> Verdict | None:
    array, type = t.outcome.outputs[i][k], t.graph.output_types[k]
    if len({x.shape for x in (array, plain, wide, *beside)}) > 1 or array.dtype != plain.dtype:
        return None
    changes = np.maximum(*(distance(other, wide) for other in beside))
    if dtypes.is_float(type.dtype):
        allowed = 2 * (tolerance(plain, wide, type.dtype) + changes)
    else:
        allowed = np.where((changes == 0) & (plain == wide), 0.0, np.inf)
    off = distance(array, wide)
    wrong = np.isfinite(allowed) & (off > allowed) & (off > distance(plain, wide))
    if not wrong.any():
        return None
    at = np.unravel_index(int(np.argmax(np.where(wrong, off, -1.0))), wrong.shape)
    place = [int(n) for n in at]
    message = (
        f"output {k} ({type}): {t.label} differs from its uncompiled run at {listing(wrong)}; at {place} it gives "
        f"{array[at]}, uncompiled {plain[at]}, in float64 {wide[at]}"
    )
    names = sorted({node.qualified for node in t.graph.nodes})
    signature = " ".join([oracle, "mismatch", "uncompiled", type.dtype, *names])
    limit = np.where(wrong, allowed, np.inf)
    return Verdict(
        oracle, "mismatch", t.label, "", message, signature, i, k, t.label, "uncompiled", allowed=limit, expected=wide
    )
