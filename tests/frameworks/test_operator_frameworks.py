"""Truth from elsewhere: every operator, in every element type, on every framework run uncompiled.

Random typed applications of one operator are lowered, run, and held against the error bounds of the analysis. Where a
framework cannot run an operator or a type, the reason is kept; the table of all of them is printed at the end of the
test run (conftest.py).
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from polyjuice.interpret import EvaluationError
from polyjuice.ir import dtypes
from polyjuice.lower import Unlowerable, lower
from polyjuice.numerics import SAFETY, analyse, distance
from polyjuice.ops import TABLE, Op
from tests.conftest import FRAMEWORK_TABLE
from tests.support.applications import application, one_node, random_array
from tests.support.frameworks import RUN

INSTANCES = 4

NAMES = {op.qualified: op for op in TABLE.values()}

FAULTS = {
    ("Shrink", "onnx", "float64"): "ONNX Runtime 1.32.0 computes it in single precision (artifacts/bugs/006)",
}
"""Where a framework is wrong, and how; the test says when it no longer is."""

CELLS = [
    (name, framework, dtype) for name, op in NAMES.items() for framework in RUN for dtype in op.types[op.variable(0)]
]


@pytest.mark.parametrize(("name", "framework", "dtype"), CELLS)
def test_a_framework_gives_the_operator_its_meaning(name: str, framework: str, dtype: str) -> None:
    op = NAMES[name]
    if fault := FAULTS.get((name, framework, dtype)):
        FRAMEWORK_TABLE[name, framework, dtype] = fault
        with pytest.raises(AssertionError, match="within"):
            _hold_all(op, framework, dtype)
        return
    ran, reason = 0, ""
    for seed in range(INSTANCES):
        try:
            _hold(op, framework, dtype, seed)
            ran += 1
        except (Unlowerable, NotImplementedError) as error:
            reason = str(error)
        except EvaluationError:
            continue
        except Exception as error:
            if isinstance(error, AssertionError):
                raise
            reason = f"{type(error).__name__}: {error}"
    FRAMEWORK_TABLE[name, framework, dtype] = "" if ran else " ".join(reason.split())
    assert ran or reason, "no application could be drawn"


def _hold_all(op: Op, framework: str, dtype: str) -> None:
    for seed in range(INSTANCES):
        _hold(op, framework, dtype, seed)


def _hold(op: Op, framework: str, dtype: str, seed: int) -> None:
    """One application: the framework's results have the declared types and lie within their bounds."""
    rng = random.Random(f"{op.qualified} {dtype} {seed}")
    values = np.random.default_rng(seed)
    operands, attrs = application(op, rng, dtype)
    graph = one_node(op, operands, attrs)
    inputs = [random_array(values, operand) for operand in operands]
    analyses = analyse(graph, inputs)
    artifact = lower(graph, framework, seed)
    results = RUN[framework](artifact, inputs)
    assert len(results) == len(graph.outputs)
    for result, analysis in zip(results, analyses, strict=True):
        result = np.asarray(result)
        assert (dtypes.of_array(result), result.shape) == (analysis.type.dtype, analysis.type.shape), artifact.source
        gap = distance(result, analysis.reference)
        outside = np.isfinite(analysis.bound) & (gap > (0.0 if analysis.exact else SAFETY * analysis.bound))
        assert not outside.any(), (
            f"{graph}\n{artifact.source if isinstance(artifact.source, str) else ''}\n"
            f"{result[outside][:5]} is not {analysis.reference[outside][:5]} within {analysis.bound[outside][:5]}"
        )
