"""Distributions of inputs: their values in every element type, which are never larger than the originals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from polyjuice.inputs import PROFILES, make_inputs
from polyjuice.inputs.distributions import DISTRIBUTIONS, distributed, in_distribution
from polyjuice.ir import TensorType, dtypes
from polyjuice.ops import GraphBuilder

SHAPE = (5, 7)


def drawn(name: str, dtype: str) -> np.ndarray:
    """An array with a distribution, in float64 (with truth values as 1 and -1)."""
    rng = np.random.default_rng(3)
    mixed = rng.integers(0 if dtype == "uint8" else -6, 7, SHAPE)
    array = mixed > 0 if dtype == "bool" else mixed.astype(dtypes.to_numpy(dtype))
    changed = in_distribution(array, DISTRIBUTIONS[name][1], rng)
    assert (changed.dtype, changed.shape) == (array.dtype, SHAPE)
    return np.where(changed, 1.0, -1.0) if dtype == "bool" else changed.astype(np.float64)


def sorted_in_memory(x: np.ndarray) -> bool:
    return bool((np.diff(x.ravel()) >= 0).all())


HOLDS: dict[str, Callable[[np.ndarray], bool]] = {
    "mixed": lambda x: len(np.unique(x)) > 1,
    "positive": lambda x: bool((x > 0).all()),
    "negative": lambda x: bool((x < 0).all()),
    "rectified": lambda x: bool((x <= 0).any() and (x > 0).any()),
    "sparse": lambda x: bool(((x > 0) | (x < 0)).sum() <= SHAPE[0] * 2),
    "constant": lambda x: len(np.unique(x)) == 1,
    "ascending": sorted_in_memory,
    "descending": lambda x: sorted_in_memory(-x),
    "duplicated": lambda x: len(np.unique(x)) <= 3,
    "alternating": lambda x: bool((x[:, 1:] * x[:, :-1] < 0).all() and (x[1:] * x[:-1] < 0).all()),
}


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_an_array_has_its_distribution(name: str, dtype: str) -> None:
    array = drawn(name, dtype)
    assert HOLDS[name](array)
    assert np.abs(array).max() <= 6


@pytest.mark.parametrize("name", sorted({*DISTRIBUTIONS} - {"sparse"}))
def test_truth_values_have_theirs(name: str) -> None:
    assert HOLDS[name](drawn(name, "bool"))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_unsigned_integers_have_no_signs(name: str) -> None:
    array = drawn(name, "uint8")
    assert array.max() <= 6
    assert HOLDS[name](array) or name in ("negative", "alternating")


def test_the_least_integer_has_no_magnitude() -> None:
    least = np.full(3, -128, np.int8)
    assert in_distribution(least, DISTRIBUTIONS["positive"][1], np.random.default_rng(0)).tolist() == [1, 1, 1]


def test_scalars_and_empty_arrays_stay_as_they_are() -> None:
    for array in (np.array(2.5), np.zeros((0, 3))):
        for _, change in DISTRIBUTIONS.values():
            assert in_distribution(array, change, np.random.default_rng(0)) is array


@pytest.mark.parametrize("profile", PROFILES)
def test_the_first_input_has_the_distribution_that_is_asked_for(profile: str) -> None:
    build = GraphBuilder()
    x, y = build.input(TensorType("int32", (5, 3))), build.input(TensorType("int32", (5, 3)))
    graph = build.build([build.op("Max", x, y)])
    others = set()
    for seed in range(10):
        first, second = make_inputs(graph, profile, seed, distribution="constant")
        assert HOLDS["constant"](first)
        others.add(HOLDS["constant"](second))
    assert False in others


def test_all_of_them_are_drawn() -> None:
    arrays = [distributed(np.arange(-3, 4), np.random.default_rng(seed)) for seed in range(60)]
    for holds in (HOLDS["constant"], HOLDS["positive"], HOLDS["negative"], lambda x: x.tolist() == [*range(3, -4, -1)]):
        assert any(holds(array) for array in arrays)
