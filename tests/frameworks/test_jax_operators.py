"""Each operator in JAX means what the table says: its texts and its decompositions, run operator by operator."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import TensorType, dtypes
from polyjuice.numerics import analyse
from polyjuice.ops import TABLE, GraphBuilder, Op
from tests.support.applications import with_values
from tests.support.bounds import assert_within
from tests.support.every_choice import Seen, lowered
from tests.support.frameworks import run_jax
from tests.support.kinds import one_of_each_kind
from tests.support.unchanged import UNCHANGED

LACKS = {"aten.upsample_bicubic2d", "MaxRoiPool"}
"""Operators that JAX cannot write, nor their definitions: its cubic interpolation has other coefficients, and the sizes
of regions' bins depend on values."""

OPERATORS = {
    name: op
    for op in TABLE.values()
    if (name := op.qualified) not in LACKS and not op.of_complex and not op.data_dependent
}

OF_ONE_TYPE = {"QuantizeLinear": "float32", "DequantizeLinear": "uint8", "aten.avg_pool2d": "float32"}
"""Operators that JAX programs have in some element types only, and one of these types."""

TRIES = 6
"""How many applications are drawn, until one has a value."""

LOWERINGS = 3


def usual(op: Op) -> str:
    """The element type of the quick tests, chosen by the operator's name among the kinds."""
    if op.qualified in OF_ONE_TYPE:
        return OF_ONE_TYPE[op.qualified]
    types = [*op.types[op.variable(0)]]
    types = one_of_each_kind(dtype for dtype in types if dtype not in dtypes.NARROW) or types
    return types[zlib.crc32(op.qualified.encode()) % len(types)]


def check(op: Op, dtype: str) -> None:
    for seed in range(TRIES):
        graph, inputs = with_values(op, dtype, seed)
        try:
            analyses = analyse(graph, inputs)
        except EvaluationError:
            continue
        ran = 0
        for artifact in lowered(graph, "jax", seed, LOWERINGS, Seen()):
            if isinstance(artifact, Unlowerable):
                continue
            results = run_jax(artifact, inputs)
            assert len(results) == len(analyses)
            for result, analysis in zip(results, analyses, strict=True):
                assert (dtypes.dtype_of(result), result.shape) == (analysis.type.dtype, analysis.type.shape), artifact
            assert_within(results, analyses, artifact.source)
            ran += 1
        if ran:
            return
    raise AssertionError("no application has a text and a value")


@pytest.mark.parametrize("name", [pytest.param(name, marks=UNCHANGED.marks("jax", name)) for name in OPERATORS])
def test_an_operator_in_jax_has_its_meaning(name: str) -> None:
    check(OPERATORS[name], usual(OPERATORS[name]))
    UNCHANGED.passed("jax", name)


@pytest.mark.long
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_in_jax_has_its_meaning_in_other_types(name: str) -> None:
    op = OPERATORS[name]
    for dtype in op.types[op.variable(0)]:
        if dtype not in dtypes.NARROW and OF_ONE_TYPE.get(name, dtype) == dtype:
            check(op, dtype)


def test_an_operator_without_a_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    op = OPERATORS["Floor"]
    monkeypatch.delitem(op.text, "jax")  # type: ignore[arg-type]
    with pytest.raises(Unlowerable, match="Floor"):
        lower(with_values(op, "float32", 0)[0], "jax", 0)


def test_a_planted_wrong_text_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPERATORS["Abs"].text, "jax", ("-{0}",))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="is not"):
        check(OPERATORS["Abs"], "float32")


def test_parts_of_a_program_are_compiled_by_jax_itself() -> None:
    """A function or a method may have a decorator of JAX, and runs uncompiled, too."""
    x = TensorType("float32", (2, 3))
    build = GraphBuilder()
    value = build.input(x)
    for operator in ("Tanh", "Abs", "Exp", "Relu", "Sin", "Neg"):
        value = build.op(operator, value)
    graph = build.build([value])
    inputs = [np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)]
    artifacts = [lower(graph, "jax", seed) for seed in range(150)]
    for decorator in ("@jax.jit", "@partial(jax.jit, static_argnums=0)", "@partial(jax.checkpoint, static_argnums=0)"):
        found = next(artifact for artifact in artifacts if decorator in str(artifact.source))
        (result, *_) = run_jax(found, inputs)
        assert np.allclose(result, evaluate(graph, inputs)[0])
