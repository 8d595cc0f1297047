"""Every operator of the table keeps to its error bound.

The bound is a distance from the float64 reference. No evaluation in the operator's own element type may exceed it. The
operands lie anywhere within their own errors.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from polyjuice.interpret import EvaluationError, apply
from polyjuice.ir import Node, TensorType, complexes, dtypes
from polyjuice.numerics import SAFETY, Mode, Value, distance, listing, propagate
from polyjuice.numerics.values import Setting, of_array
from polyjuice.ops import TABLE, Op, Operand, infer
from polyjuice.ops.sampling import restricted_values
from tests.support.applications import application
from tests.support.kinds import by_operator
from tests.support.unchanged import UNCHANGED

OPS = {op.qualified: op for op in TABLE.values() if not op.unrolled}
CASES = [(name, t) for name, op in OPS.items() for t in op.types[op.inputs[0]] if t != "float64"]
FLOATING = [(name, t) for name, t in CASES if t in dtypes.FLOATS]

INSTANCES = 8
"""How many applications of an operator the long tests draw in each element type. The usual tests draw half as many."""

MOVES = 5


@pytest.fixture
def instances(request: pytest.FixtureRequest) -> int:
    return INSTANCES if request.node.get_closest_marker("long") else INSTANCES // 2


def drawn(op: Op, dtype: str, seed: str) -> tuple[list[Operand], Node, list[TensorType], np.random.Generator]:
    """A random application of an operator, and a source of values for it."""
    rng = random.Random(f"{op.qualified} {dtype} {seed}")
    operands, attrs = application(op, rng, dtype)
    results = list(infer(op, [operand.type for operand in operands], attrs))
    node = Node(op.name, tuple(f"x{i}" for i in range(len(operands))), ("y",) * len(results), attrs, op.domain)
    return operands, node, results, np.random.default_rng(rng.getrandbits(32))


def numbers(values: np.random.Generator, operand: Operand) -> np.ndarray:
    """Values of an operand's own type: normal ones, halves (ties and steps), repeated ones, and all magnitudes."""
    t = operand.type
    if operand.values is not None:
        return restricted_values(values, operand)
    if dtypes.is_complex(t.dtype):
        part = Operand(TensorType(dtypes.part_of(t.dtype), t.shape))
        return complexes.joined(numbers(values, part), numbers(values, part))
    if not dtypes.is_float(t.dtype):
        low, high = (0, 1) if t.dtype == "bool" else (0 if t.dtype in dtypes.UNSIGNED else -5, 5)
        return np.asarray(values.integers(low, high, t.shape, endpoint=True)).astype(dtypes.to_numpy(t.dtype))
    kind = values.integers(4)
    if kind == 0:
        array = values.normal(0, 2, t.shape)
    elif kind == 1:
        array = values.integers(-6, 7, t.shape) / 2
    elif kind == 2:
        array = values.choice(values.normal(0, 2, 3), t.shape)
    else:
        array = values.choice([-1.0, 1.0], t.shape) * 2.0 ** values.uniform(-10, 6, t.shape)
    return np.asarray(array).astype(dtypes.to_numpy(t.dtype))


def errors_of(values: np.random.Generator, x: np.ndarray, operand: Operand) -> np.ndarray:
    """Bounds on the errors of an operand's elements. Integers and booleans have none.

    No element, some, or all have an error. It is a few units in the last place, or large enough to change decisions.
    """
    dtype = operand.type.dtype
    if not dtypes.is_inexact(dtype) or operand.values is not None:
        return np.zeros(x.shape)
    size = np.abs(np.nan_to_num(widened(x), posinf=0.0, neginf=0.0))
    scales = (4 * dtypes.unit_roundoff(dtype) * size, 0.01 * size, 0.6 * np.ones(x.shape), 0.5 * np.ones(x.shape))
    e = scales[values.integers(len(scales))] * values.choice([1.0, values.random()])
    return np.asarray(e * (values.random(x.shape) < values.choice([0.0, 0.2, 1.0])))


def moved(values: np.random.Generator, x: np.ndarray, e: np.ndarray, kind: int) -> np.ndarray:
    """The operand moved within its errors: all up, all down, either way at random, or anywhere.

    A complex number moves in any direction, as far as its error.
    """
    side = (1.0, -1.0, values.choice([-1.0, 1.0], x.shape), values.uniform(-1, 1, x.shape), 0.0)[kind]
    wide = widened(x)
    if complexes.is_complex(x):
        side = side * np.exp(1j * values.choice([0.0, np.pi / 2, *values.uniform(0, 7, 4)], x.shape))
    result = (wide + side * e).astype(x.dtype)
    return np.where(distance(result, wide) <= e, result, x)


def widened(x: np.ndarray) -> np.ndarray:
    """Floating numbers in float64, complex ones in complex128."""
    return x.astype(np.complex128 if complexes.is_complex(x) else np.float64)


def anything(values: np.random.Generator, x: np.ndarray, unknown: np.ndarray) -> np.ndarray:
    """The operand with arbitrary values for its unknown elements (indices stay within their range)."""
    if x.dtype.kind in "iub":
        return np.where(unknown, values.permutation(x.ravel()).reshape(x.shape), x)
    if complexes.is_complex(x):
        return complexes.by_parts(lambda part: anything(values, np.ascontiguousarray(part), unknown), x)
    other = values.choice([0.0, -1.0, 1e4, -1e4, np.inf, -np.inf, np.nan], x.shape)
    return np.where(unknown, other.astype(x.dtype), x)


def held(node: Node, bounds: list[Value], arrays: list[np.ndarray], types: list[TensorType]) -> int:
    """Check that an application's results, in its own types, lie within their bounds. Return the number of bounded
    ones.
    """
    bounded = 0
    with np.errstate(all="ignore"):
        results = apply(node, arrays, types)
    for result, value in zip(results, bounds, strict=True):
        if value.in_doubt:
            continue
        assert not np.isnan(value.error).any(), f"{node.op} {node.attrs} {types}"
        allowed = SAFETY * np.broadcast_to(value.error, result.shape)
        outside = np.isfinite(allowed) & (distance(result, value.array) > allowed)
        assert not outside.any(), (
            f"{node.op} {node.attrs} {types}: {result[outside][:4]} is not {value.array[outside][:4]} within "
            f"{allowed[outside][:4]} at {listing(outside)} of {[a.ravel()[:8] for a in arrays]}"
        )
        bounded += int(np.isfinite(allowed).sum())
    return bounded


@by_operator(CASES, "numpy errors")
def test_operands_within_their_errors_move_results_within_their_bounds(
    name: str, tried: list[str], instances: int
) -> None:
    def trial(operands: list[Operand], values: np.random.Generator, seed: int) -> Any:
        x = [numbers(values, operand) for operand in operands]
        e = [errors_of(values, array, operand) for array, operand in zip(x, operands, strict=True)]
        known = [
            Value(widened(a) if d.any() or dtypes.is_inexact(operand.type.dtype) else a, d)
            for a, d, operand in zip(x, e, operands, strict=True)
        ]
        return known, lambda kind: [moved(values, a, d, kind) for a, d in zip(x, e, strict=True)]

    check_suite("errors", name, tried, trial, (instances, 4 * instances))


@by_operator(CASES, "numpy unknown")
def test_what_nothing_is_known_of_masks_all_that_depends_on_it(name: str, tried: list[str], instances: int) -> None:
    """The index of one of several equal elements is unknown, and so are the elements around it. The rest is exact.

    In the first application all is known.
    """

    def trial(operands: list[Operand], values: np.random.Generator, seed: int) -> Any:
        exact = seed % 2 == 1
        x = [numbers(values, operand) for operand in operands]
        x = [np.rint(a).astype(a.dtype) if exact and a.dtype.kind not in "iub" else a for a in x]
        shares = [0.0, 0.1, 1.0] if seed else [0.0]
        unknown = [values.random(a.shape) < values.choice(shares) for a in x]
        known = [
            Value(widened(a) if dtypes.is_inexact(operand.type.dtype) else a, np.where(u, np.inf, 0.0), exact)
            for a, u, operand in zip(x, unknown, operands, strict=True)
        ]
        return known, lambda kind: [anything(values, a, u) for a, u in zip(x, unknown, strict=True)]

    check_suite("unknown", name, tried, trial, (instances, 4 * instances))


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.ties])
def test_a_choice_between_equal_elements_is_masked_though_all_is_exact(name: str) -> None:
    """A result that depends on the order of equal elements is unknown, unless an order is requested or known."""
    open_order = Setting(mode=Mode(ordered=False))
    turned_over = 0
    for node, types, x, bounds, values in tied(name, open_order):
        if node.attrs.get("stable"):
            continue
        for _ in range(MOVES):
            order = 1e-9 * values.permutation(x.size).reshape(x.shape)
            for result, value in zip(apply(node, [x + order], types), bounds, strict=True):
                other = np.abs(result - value.array) > 0.5
                assert np.isinf(np.broadcast_to(value.error, other.shape))[other].all(), node
                turned_over += int(other.sum())
    assert turned_over


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.ties == "first"])
def test_the_first_of_equal_elements_is_known_to_be_chosen_where_all_is_exact(name: str) -> None:
    for node, _, _, bounds, _ in tied(name, Setting()):
        assert all(not np.any(value.error) for value in bounds), node


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if op.ties == "first"])
def test_near_ties_are_masked_whatever_the_order_of_equal_elements(name: str) -> None:
    masked = 0
    for node, types, x, _, _ in tied(name, Setting()):
        error = np.full(x.shape, 0.6)
        axis = node.attrs.get("axis", node.attrs.get("dim"))
        several = (x.size if axis is None else x.shape[axis]) > 1
        *_, places = propagate(node, [Value(x, error, False)], types)
        masked += int(np.isinf(places.error).sum())
        assert np.isinf(places.error).all() == several, node
    assert masked


@pytest.mark.parametrize(("x", "y", "known"), [(0.1254, -1.0, False), (2.0, -1.0, True), (2.125, 1.0, True)])
def test_isclose_is_masked_where_a_rounding_of_its_steps_turns_it_over(x: float, y: float, known: bool) -> None:
    node = Node("isclose", ("x", "y"), ("z",), {"rtol": 1.0, "atol": 0.125, "equal_nan": 0}, "aten")
    operands = [of_array(np.float16(v), "float16", Setting()) for v in (x, y)]  # 1.1254 becomes 1.125
    (value,) = propagate(node, operands, [TensorType("bool", ())])
    assert np.isfinite(value.error).all() == known


def tied(name: str, setting: Setting) -> Iterator[tuple[Node, Any, np.ndarray, list[Value], np.random.Generator]]:
    """Applications to exact zeros and ones: their nodes, types, operands, known results, and random generators."""
    for seed in range(3 * INSTANCES):
        operands, node, types, values = drawn(OPS[name], "float64", f"ties {seed}")
        x = values.integers(0, 2, operands[0].type.shape).astype(np.float64)
        bounds = propagate(node, [Value(x, np.zeros(()), True)], types, setting)
        assert all(value.reproducible for value in bounds)
        yield node, types, x, bounds, values


def edges(values: np.random.Generator, operand: Operand) -> np.ndarray:
    """Numbers with zeros of both signs, denormal, huge and infinite numbers, and NaN."""
    x = numbers(values, operand)
    if operand.values is not None or not dtypes.is_float(operand.type.dtype):
        return x
    largest, least = dtypes.largest_finite(operand.type.dtype), dtypes.smallest_normal(operand.type.dtype)
    kinds = ((0.0, -0.0), (np.inf,), (-np.inf,), (np.nan,), (largest, -largest), (least / 2, -least, least))
    chosen = [kinds[i] for i in values.choice(len(kinds), 2, replace=False)]
    others = values.choice([value for kind in chosen for value in kind], x.shape)
    return np.where(values.random(x.shape) < values.choice([0.05, 0.3]), others, x).astype(x.dtype)


def turned(values: np.random.Generator, x: np.ndarray, e: np.ndarray, kind: int) -> np.ndarray:
    """The operand within its errors, with other signs of zeros and without denormal numbers."""
    if x.dtype.kind in "iub":
        return x
    sign = np.where(values.random(x.shape) < 0.5, -1, 1).astype(x.dtype)
    near_zero = np.abs(x.astype(np.float64)) < dtypes.smallest_normal(dtypes.dtype_of(x))
    return np.where(near_zero, sign * np.zeros_like(x), moved(values, x, np.where(np.isfinite(e), e, 0.0), kind))


@by_operator(FLOATING, "numpy edge")
def test_what_is_known_beyond_the_real_numbers_hangs_on_no_error_or_sign_of_zero(
    name: str, tried: list[str], instances: int
) -> None:
    setting = Setting(mode=Mode(edge=True))

    def trial(operands: list[Operand], values: np.random.Generator, seed: int) -> Any:
        x = [edges(values, operand) for operand in operands]
        given = [of_array(a, operand.type.dtype, setting) for a, operand in zip(x, operands, strict=True)]
        e = [errors_of(values, a, operand) for a, operand in zip(x, operands, strict=True)]
        e = [
            np.where(np.isfinite(v.array) & (v.array != 0), np.maximum(v.error, d), v.error)
            for v, d in zip(given, e, strict=True)
        ]
        known = [Value(v.array, d, False, v.extreme) for v, d in zip(given, e, strict=True)]
        return known, lambda kind: [turned(values, a, d, kind) for a, d in zip(x, e, strict=True)]

    check_suite("edge", name, tried, trial, (instances, 4 * instances), setting)


Trial = Callable[[list[Operand], np.random.Generator, int], tuple[list[Value], Callable[[int], list[np.ndarray]]]]
"""Makes what is known of operands, and a function that gives operands of which it is true."""


def check_suite(
    suite: str, name: str, tried: list[str], trial: Trial, seeds: tuple[int, int], setting: Setting | None = None
) -> None:
    """Check applications of an operator: a first number of seeds, and up to a second until an element is bounded."""
    for dtype in tried:
        bounded = 0
        for seed in range(seeds[1]):
            if bounded and seed >= seeds[0]:
                break
            operands, node, types, values = drawn(OPS[name], dtype, f"{suite} {seed}")
            known, other = trial(operands, values, seed)
            with np.errstate(all="ignore"):
                try:
                    bounds = propagate(node, known, types, setting or Setting())
                    bounded += sum(held(node, bounds, other(kind), types) for kind in range(MOVES))
                except EvaluationError:
                    continue
        assert bounded, dtype
    UNCHANGED.passed(f"numpy {suite}", name)
