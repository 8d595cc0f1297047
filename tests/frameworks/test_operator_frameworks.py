"""Truth from elsewhere: every lowering of every operator means the same on each uncompiled framework.

The tests lower random typed applications of one operator in every way that the operator's entry knows. They compare the
results with the error bounds of the analysis. The committed table ``unsupported.txt`` must list each program that does
not run. It must list no program that runs.
"""

from __future__ import annotations

import itertools
import math
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from polyjuice.execution import Artifact
from polyjuice.frameworks.lowering import Unlowerable
from polyjuice.interpret import EvaluationError
from polyjuice.ir import GraphError, dtypes
from polyjuice.numerics import SAFETY, Analysis, analyse, distance
from polyjuice.ops import TABLE, Op, registry
from polyjuice.ops.spec import Builder, DecomposeFn, Texts
from tests.support.applications import application, one_node, random_array, with_values
from tests.support.every_choice import Seen, lowered
from tests.support.frameworks import RUN, run_jax
from tests.support.kinds import one_of_each_kind
from tests.support.unchanged import UNCHANGED
from tests.support.unsupported import Holes, Unsupported, is_fault, reason

INSTANCES = 4
"""How many applications are lowered in every way."""

LOWERINGS = 6
"""The least number of lowerings of each application that allows many combinations of choices."""

FURTHER = 12
"""How many more applications the tests draw to find lowerings that few applications have."""

NAMES = {op.qualified: op for op in TABLE.values()}

CELLS = [(name, framework) for name in NAMES for framework in RUN]

USUAL = [pytest.param(*cell, marks=UNCHANGED.marks(cell[1], cell[0])) for cell in CELLS]
"""The cells. Those whose operators have not changed since they ran are for the long tests."""

FAULTS = {
    ("Shrink", "onnx", "float64"): "ONNX Runtime 1.32.0 computes it in single precision (artifacts/bugs/006)",
    ("QLinearConv", "tensorflow", "int8"): "TensorFlow 2.21.0's conv3d skips elements with SAME (artifacts/bugs/032)",
}
"""The faults of frameworks. The test says when a fault no longer shows."""


class Wrong(AssertionError):
    """A framework's result is not the operator's."""


def usual_type(name: str, framework: str) -> str:
    """The element type that the usual tests try. The name decides its kind, so that every kind has its operators."""
    op = NAMES[name]
    types = one_of_each_kind(op.types[op.variable(0)])
    return types[zlib.crc32(f"{name} {framework}".encode()) % len(types)]


def other_types(name: str, framework: str) -> list[str]:
    op = NAMES[name]
    return [dtype for dtype in op.types[op.variable(0)] if dtype != usual_type(name, framework)]


@pytest.mark.parametrize(("name", "framework"), USUAL)
def test_a_framework_gives_the_operator_its_meaning(name: str, framework: str, unsupported: Unsupported) -> None:
    dtype = usual_type(name, framework)
    unsupported.compare({(framework, name, dtype): unsupported_of(NAMES[name], framework, dtype)})
    UNCHANGED.passed(framework, name)


@pytest.mark.long
@pytest.mark.parametrize(("name", "framework"), [cell for cell in CELLS if other_types(*cell)])
def test_a_framework_gives_the_operator_its_meaning_in_other_types(
    name: str, framework: str, unsupported: Unsupported
) -> None:
    found = {dtype: unsupported_of(NAMES[name], framework, dtype) for dtype in other_types(name, framework)}
    unsupported.compare({(framework, name, dtype): what for dtype, what in found.items()})


def unsupported_of(op: Op, framework: str, dtype: str) -> Holes:
    """The unsupported lowerings of the operator in an element type. Raises Wrong if a result has another meaning."""
    if (op.qualified, framework, dtype) in FAULTS:
        with pytest.raises(Wrong):
            _unsupported_of(op, framework, dtype)
        return frozenset()
    return _unsupported_of(op, framework, dtype)


def _unsupported_of(op: Op, framework: str, dtype: str) -> Holes:
    ran, reasons, seen = False, set(), Seen()
    for seed in range(INSTANCES + FURTHER):
        if seed == INSTANCES and not seen.steps:  # there is no choice to draw
            break
        every_way = seed < INSTANCES
        known = Seen(outlines=seen.outlines) if every_way else seen
        for why in _of_an_application(op, framework, dtype, seed, LOWERINGS if every_way else 0, known):
            ran = ran or not why
            reasons |= {why} - {""}
        seen.steps |= known.steps
    assert ran or reasons, "the interpreter evaluates no application"
    return frozenset(("partly" if ran else "never", why) for why in reasons)


def _of_an_application(op: Op, framework: str, dtype: str, seed: int, lowerings: int, seen: Seen) -> Iterator[str]:
    """For each artifact of an application, the reason why it does not run, or "". Nothing if there is no value."""
    graph, inputs = with_values(op, dtype, seed)
    try:
        analyses = analyse(graph, inputs)
    except EvaluationError:
        return
    for lowering in lowered(graph, framework, seed, lowerings, seen):
        if isinstance(lowering, Unlowerable):
            yield reason(lowering, op.qualified)
        else:
            yield _run(op, lowering, framework, inputs, analyses)


def _run(op: Op, artifact: Artifact, framework: str, inputs: Sequence[np.ndarray], analyses: Sequence[Analysis]) -> str:
    """The reason why the framework does not run an artifact, or "" if its results lie within the analyses' bounds."""
    try:
        results = RUN[framework](artifact, inputs)
    except Exception as error:
        if is_fault(error):
            raise
        return reason(error, op.qualified)
    assert len(results) == len(analyses)
    for result, analysis in zip(results, analyses, strict=True):
        _hold(np.asarray(result), analysis, artifact)
    return ""


def _hold(result: np.ndarray, analysis: Analysis, artifact: Artifact) -> None:
    """Raise Wrong unless a result has the declared type and lies within its bounds."""
    source = artifact.source if isinstance(artifact.source, str) else ""
    if (dtypes.dtype_of(result), result.shape) != (analysis.type.dtype, analysis.type.shape):
        raise Wrong(f"{source}\n{result.dtype}{list(result.shape)} is not {analysis.type}")
    gap = distance(result, analysis.reference)
    outside = np.isfinite(analysis.bound) & (gap > (0.0 if analysis.reproducible else SAFETY * analysis.bound))
    if outside.any():
        raise Wrong(
            f"{source}\n{result[outside][:5]} is not {analysis.reference[outside][:5]} "
            f"within {analysis.bound[outside][:5]}"
        )


@pytest.mark.parametrize("framework", [*RUN, "jax"])
def test_an_infinite_attribute_or_nan_keeps_its_meaning_or_is_refused(framework: str) -> None:
    ran, refusals = set(), []
    floating = [(op, attr.name) for op in TABLE.values() for attr in op.attrs if attr.kind == "float"]
    for (op, name), value in itertools.product(floating, (math.inf, -math.inf, math.nan)):
        types = op.types[op.variable(0)]
        dtype = "float32" if "float32" in types else types[0]
        operands, attrs = application(op, random.Random(op.qualified), dtype)
        try:
            graph = one_node(op, operands, {**attrs, name: value})
        except GraphError as error:
            refusals.append((str(value), str(error)))
            continue
        inputs = [random_array(np.random.default_rng(0), operand) for operand in operands]
        for artifact in lowered(graph, framework, 0, 1, Seen()):
            if isinstance(artifact, Artifact):
                for result, analysis in zip(
                    {**RUN, "jax": run_jax}[framework](artifact, inputs), analyse(graph, inputs), strict=True
                ):
                    _hold(np.asarray(result), analysis, artifact)
                ran.add(op.qualified)
    assert {"Clip", "Pad"} < ran
    assert all(value in text for value, text in refusals)


FAILED = pytest.fail.Exception

PLANTED: list[tuple[str, str, Texts | DecomposeFn, type[BaseException]]] = [
    ("Abs", "torch", ("torch.abs({0})", "torch.abz({0})"), AttributeError),
    ("Abs", "torch", ("torch.abs({0})", "{0}.abs(2)"), TypeError),
    ("Abs", "torch", ("torch.abs({0})", "torch.abs(y)"), NameError),
    ("Abs", "torch", ("torch.abs({0})", "torch.abs({0}).view(-1, 1009)"), FAILED),
    ("Abs", "torch", lambda c: c.draws.choice(("torch.abs({0})", "-{0}")).format(*c.x), Wrong),
    ("Abs", "tensorflow", ("tf.abs({0})", "tf.abz({0})"), AttributeError),
    ("Abs", "tensorflow", ("tf.abs({0})", "tf.reshape({0}, [-1, 1009])"), FAILED),
    ("Abs", "tensorflow", ("tf.abs({0})", "tf.identity({0})"), Wrong),
    ("aten.square", "onnx", lambda build, x, attrs: build.op("Cast", x[0], to="int64"), GraphError),
    ("aten.square", "onnx", lambda build, x, attrs: in_double(build, "Atan", x[0]), FAILED),
    ("aten.square", "onnx", lambda build, x, attrs: build.op("Neg", x[0]), Wrong),
]
"""Broken lowerings, of several results where possible, and the test's message about each."""


def in_double(build: Builder, op: str, x: str) -> str:
    """An operator for which ONNX Runtime has no kernel in double precision."""
    return build.op("Cast", build.op(op, build.op("Cast", x, to="float64")), to="float32")


@pytest.mark.parametrize(("name", "framework", "texts", "raised"), PLANTED)
def test_a_broken_text_is_seen(
    name: str, framework: str, texts: Texts | DecomposeFn, raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    op = NAMES[name]
    broken = replace(op, definition=texts) if framework == "onnx" else replace(op, text={**op.text, framework: texts})
    monkeypatch.setattr(registry, "TABLE", {**TABLE, (op.domain, op.name): broken})
    with pytest.raises(raised):
        Unsupported().compare({(framework, name, "float32"): unsupported_of(op, framework, "float32")})
