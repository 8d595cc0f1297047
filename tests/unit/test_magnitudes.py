"""The magnitude of integers in the exact profile: as large as all values of the graph stay exact."""

from __future__ import annotations

import numpy as np
import pytest

from polyjuice.inputs import make_inputs
from polyjuice.inputs.magnitudes import SMALL, largest
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import reproducible_outputs
from polyjuice.ops import GraphBuilder


def largest_drawn(graph: Graph, variants: tuple[Graph, ...] = ()) -> list[float]:
    """The largest magnitude of each input over some seeds. All outputs must be exact on them."""
    found = []
    for seed in range(6):
        inputs = make_inputs(graph, "exact", seed, variants, large=True)
        assert all(reproducible_outputs(graph, inputs))
        found.append([float(np.abs(array.astype(np.float64)).max()) for array in inputs])
    return [max(column) for column in zip(*found, strict=True)]


def of(op: str, dtype: str, count: int = 2) -> Graph:
    """One operator on inputs of a type."""
    build = GraphBuilder()
    return build.build([build.op(op, *(build.input(TensorType(dtype, (9,))) for _ in range(count)))])


@pytest.mark.parametrize("dtype", dtypes.NUMERIC)
@pytest.mark.parametrize("op", ["Max", "Less", "Identity"])
def test_what_moves_compares_or_selects_takes_the_whole_type(op: str, dtype: str) -> None:
    graph = of(op, dtype, 1 if op == "Identity" else 2)
    assert largest_drawn(graph) == [float(largest(dtype))] * len(graph.inputs)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "float16", "float32", "float64"])
def test_products_take_about_the_root_of_it(dtype: str) -> None:
    for magnitude in largest_drawn(of("Mul", dtype)):
        assert SMALL[0] < magnitude <= largest(dtype)
    low, high = dtypes.exact_integers(dtype)
    for seed in range(6):
        product = evaluate(of("Mul", dtype), make_inputs(of("Mul", dtype), "exact", seed, large=True), "float64")[0]
        assert low <= product.min() <= product.max() <= high


def test_an_input_that_is_only_compared_is_large_beside_one_that_is_multiplied() -> None:
    build = GraphBuilder()
    x, y = (build.input(TensorType("int32", (9,))) for _ in range(2))
    product = build.op("Mul", build.op("Mul", x, x), build.op("Mul", x, x))
    multiplied, compared = largest_drawn(build.build([product, build.op("Max", y, y)]))
    assert multiplied < 2**8
    assert compared == 2**31 - 1


def test_sums_of_64_bit_integers_do_not_overflow_unnoticed() -> None:
    graph = of("Add", "int64")
    for seed in range(6):
        a, b = make_inputs(graph, "exact", seed, large=True)
        exact = [int(x) + int(y) for x, y in zip(a, b, strict=True)]
        assert evaluate(graph, (a, b))[0].tolist() == exact


def test_indices_stay_within_their_axis() -> None:
    build = GraphBuilder()
    x, places = build.input(TensorType("int16", (7,))), build.input(TensorType("int64", (4,)))
    values, indices = largest_drawn(build.build([build.op("Gather", x, places, axis=0)]))
    assert values == 2**15 - 1
    assert indices <= 7


def test_what_a_variant_cannot_hold_is_smaller() -> None:
    build = GraphBuilder()
    x = build.input(TensorType("int32", (9,)))
    doubled = build.build([build.op("Add", x, x)])
    build = GraphBuilder()
    x = build.input(TensorType("int32", (9,)))
    two = build.constant(np.array(2, np.int16))
    narrow = build.op("Cast", build.op("Mul", build.op("Cast", x, to="int16"), two), to="int32")
    variant = build.build([narrow])
    (magnitude,) = largest_drawn(doubled, (variant,))
    assert SMALL[0] < magnitude < 2**15
    assert reproducible_outputs(variant, make_inputs(doubled, "exact", 0, [variant], large=True))[0]
