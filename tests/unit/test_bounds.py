"""Value bounds: the e-graph's bounds on a term hold for all its values."""

from __future__ import annotations

import random

import numpy as np
import pytest
from egglog import bindings

from polyjuice.egraph import bounds
from polyjuice.egraph.encode import encode, load
from polyjuice.egraph.language import constructors, prelude, types_of, with_bounds
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, dtypes
from polyjuice.ops import GraphBuilder
from tests.support.applications import application, one_node, random_array
from tests.support.graphs import graph

RANGES = [(-6.0, 6.0), (0.0, 6.0), (0.5, 4.0), (-6.0, -0.5), (-0.9, 0.9)]
RELATIONS = ("Finite", "Integral", "NonNegative", "Positive", "NonPositive", "Negative", "NonZero")


@pytest.fixture(scope="module")
def language() -> bindings.EGraph:
    egraph = bindings.EGraph()
    names = " ".join(bounds.ruleset_of(name) for name in sorted(with_bounds()))
    combined = [
        f"(unstable-combined-ruleset types-here analysis {' '.join(map(types_of, constructors()))})",
        f"(unstable-combined-ruleset bounds-here bounds {names})",
    ]
    for program in [*prelude(constructors(), constructors(), True), *combined]:
        egraph.run_program(*egraph.parse_program(program))
    return egraph


def known(language: bindings.EGraph, graph: Graph, ranges: dict[str, tuple[float, float]]) -> list[dict[str, object]]:
    """The bounds of each output: ``lo`` and ``hi`` (None without), and whether each relation holds."""
    encoding = encode(graph, ranges=ranges)
    language.run_program(*language.parse_program("(push)"))
    try:
        schedule = "(run-schedule (saturate (run types-here)) (repeat 4 (run bounds-here)) (saturate (run bounds)))"
        load(language, [encoding])
        language.run_program(*language.parse_program(schedule))
        functions = language.freeze().functions
        values = {language.value_to_i64(row.inputs[0]): row.output for row in functions["value"].rows}
        sides = {
            name: {row.inputs[0]: language.value_to_f64(row.output) for row in functions[name].rows}
            for name in ("lo", "hi")
        }
        members = {name: {row.inputs[0] for row in functions[name].rows} for name in RELATIONS}
    finally:
        language.run_program(*language.parse_program("(pop)"))
    found = []
    for name in graph.outputs:
        value = values[encoding.values[name]]
        facts: dict[str, object] = {side: table.get(value) for side, table in sides.items()}
        found.append(facts | {relation: value in table for relation, table in members.items()})
    return found


def assert_true(facts: dict[str, object], array: np.ndarray, dtype: str) -> None:
    wide = array.astype(np.float64)
    numbers = wide[~np.isnan(wide)]
    slack = 4 * dtypes.unit_roundoff(dtype) * (1 + np.abs(numbers[np.isfinite(numbers)]).max(initial=0))
    lo, hi = facts["lo"], facts["hi"]
    assert lo is None or np.all(numbers >= float(str(lo)) - slack), facts
    assert hi is None or np.all(numbers <= float(str(hi)) + slack), facts
    assert not facts["Finite"] or np.all(np.isfinite(wide)), facts
    assert not facts["Integral"] or np.all(numbers == np.rint(numbers)), facts


@pytest.mark.parametrize("name", sorted(with_bounds()))
def test_bounds_hold(name: str, language: bindings.EGraph) -> None:
    """The test covers every operator with bounds, on random typed applications whose inputs lie in random intervals.

    All applications are one graph, because a copy of the language costs more than the bounds of a graph.
    """
    constructor = constructors()[name]
    build, outputs = GraphBuilder(), list[str]()
    every: dict[str, tuple[float, float]] = {}
    expected: list[np.ndarray] = []
    for number in range(12):
        rng = random.Random(f"{name} {number}")
        operands, attrs = application(constructor.op, rng)
        if constructor.op.variadic:
            operands += [operands[-1]] * (constructor.operands - len(operands))
        if len(operands) != constructor.operands:
            continue
        values = np.random.default_rng(number)
        arrays, ranges = [], []
        for operand in operands:
            array = random_array(values, operand)
            interval = (float(array.min(initial=0)), float(array.max(initial=0)))
            if operand.values is None and dtypes.is_float(operand.type.dtype):
                interval = rng.choice(RANGES)
                array = values.uniform(*interval, operand.type.shape).astype(array.dtype)
            arrays.append(array)
            ranges.append(interval)
        try:
            expected += evaluate(one_node(constructor.op, operands, attrs), arrays)
        except EvaluationError:
            continue
        names = [build.input(operand.type) for operand in operands]
        every.update(zip(names, ranges, strict=True))
        outputs += build.multi(constructor.op.name, *names, domain=constructor.op.domain, **attrs)
    bounded = 0
    graph = build.build(outputs)
    for facts, result, t in zip(known(language, graph, every), expected, graph.output_types, strict=True):
        assert_true(facts, result, t.dtype)
        bounded += facts["lo"] is not None or facts["hi"] is not None
    assert bounded, "no application had any bound"


def test_integers_that_may_wrap_around_have_no_bounds(language: bindings.EGraph) -> None:
    made = graph("int8[2] x", "aten.square(x), Neg(x), Abs(x)")
    wide = known(language, made, {"x": (-128.0, 127.0)})
    assert [facts["lo"] for facts in wide] == [None, None, None]
    narrow = known(language, made, {"x": (-3.0, 2.0)})
    assert [(facts["lo"], facts["hi"]) for facts in narrow] == [(0.0, 9.0), (-2.0, 3.0), (0.0, 3.0)]


def test_nothing_is_known_of_inputs_but_their_types(language: bindings.EGraph) -> None:
    inputs = "float32[2] a; uint8[2] b; bool[2] c; int32[2] d"
    made = graph(inputs, "Identity(a), Identity(b), Identity(c), Identity(d)")
    real, small, truth, integer = known(language, made, {})
    assert (real["lo"], real["Finite"]) == (None, False)
    assert (small["lo"], small["hi"], small["NonNegative"]) == (0.0, 255.0, True)
    assert (truth["lo"], truth["hi"]) == (0.0, 1.0)
    assert (integer["lo"], integer["Finite"], integer["Integral"]) == (None, True, True)


@pytest.mark.parametrize("dtype", dtypes.ALL)
def test_wider_types_hold_every_value(dtype: str) -> None:
    if dtype == "bool":
        samples = np.array([False, True])
    elif dtypes.is_int(dtype):
        low, high = dtypes.exact_integers(dtype)
        samples = np.array([low, low + 1, 0, high - 1, high], dtypes.to_numpy(dtype))
    else:
        u, big = dtypes.unit_roundoff(dtype), dtypes.largest_finite(dtype)
        samples = np.array([1 + 2 * u, big, dtypes.smallest_normal(dtype)]).astype(dtypes.to_numpy(dtype))
    for t in bounds.wider(dtype):
        assert np.array_equal(samples.astype(dtypes.to_numpy(t)).astype(samples.dtype), samples)
