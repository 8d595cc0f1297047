"""Distributions of the values of an input.

Mixed values hide faults. An accumulator that starts at 0 instead of the least number still finds the maximum of every
vector with a positive element. A sort that does nothing is right for sorted elements. A distribution rearranges drawn
values or changes their signs, so that no magnitude grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from polyjuice.ir import complexes, dtypes

#: The chance that an element of a sparse array is kept.
_DENSITY = 0.15

#: How many different values an array with duplicates has at most.
_DUPLICATED = 3

Distribution = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def _positive(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return magnitudes. A zero becomes 1, and so does the least integer, whose magnitude its type lacks."""
    size = np.abs(x)
    return np.where(size > 0, size, np.ones_like(x))


def _negative(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return negated magnitudes, or magnitudes if the type is unsigned."""
    return _positive(x, rng) if x.dtype.kind == "u" else -_positive(x, rng)


def _rectified(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Replace negative values by zero, and some others too, because unsigned numbers are never negative."""
    return np.where((x > 0) & (rng.random(x.shape) < 0.8), x, np.zeros_like(x))


def _sparse(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    kept = rng.random(x.shape)
    chosen = kept == kept.max(axis=-1, keepdims=True) if rng.random() < 0.5 else kept < _DENSITY
    return np.where(chosen, x, np.zeros_like(x))


def _constant(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.full_like(x, x.flat[0])


def _ascending(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.sort(x, axis=None).reshape(x.shape)


def _descending(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.sort(x, axis=None)[::-1].reshape(x.shape)


def _duplicated(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.choice(rng.choice(x.ravel(), _DUPLICATED), x.shape)


def _alternating(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    odd = sum(np.indices(x.shape), np.zeros(x.shape, int)) % 2
    return np.where(odd, _negative(x, rng), _positive(x, rng))


DISTRIBUTIONS: Mapping[str, tuple[float, Distribution]] = {
    "mixed": (6, lambda x, rng: x),
    "positive": (2, _positive),
    "negative": (2, _negative),
    "rectified": (1, _rectified),
    "sparse": (2, _sparse),
    "constant": (1, _constant),
    "ascending": (1, _ascending),
    "descending": (1, _descending),
    "duplicated": (1, _duplicated),
    "alternating": (1, _alternating),
}
"""Each distribution by its name, with the weight of drawing it."""

_WEIGHTS = np.array([weight for weight, _ in DISTRIBUTIONS.values()]) / sum(w for w, _ in DISTRIBUTIONS.values())


def all_distributed(arrays: Iterable[np.ndarray], rng: np.random.Generator, first: str = "") -> list[np.ndarray]:
    """Return arrays of mixed values, each in a drawn distribution. ``first`` fixes that of the first array."""
    return [distributed(array, rng, "" if number else first) for number, array in enumerate(arrays)]


def distributed(array: np.ndarray, rng: np.random.Generator, name: str = "") -> np.ndarray:
    """Return an array of mixed values in the named distribution, or in a drawn one."""
    name = name or list(DISTRIBUTIONS)[rng.choice(len(_WEIGHTS), p=_WEIGHTS)]
    _, change = DISTRIBUTIONS[name]
    return in_distribution(array, change, rng)


def in_distribution(array: np.ndarray, change: Distribution, rng: np.random.Generator) -> np.ndarray:
    """Return an array in a distribution. True counts as positive, false as negative; complex parts are separate."""
    if not array.size or not array.ndim:
        return array
    if complexes.is_complex(array):
        return complexes.by_parts(lambda part: in_distribution(part, change, rng), array)
    if array.dtype.kind == "b":
        return np.asarray(change(np.where(array, 1, -1), rng) > 0)
    if (dtype := dtypes.dtype_of(array)) in dtypes.NARROW:
        wide = in_distribution(array.astype(dtypes.to_numpy(dtypes.computed_in(dtype))), change, rng)
        return (wide if dtypes.is_signed(dtype) else np.abs(wide)).astype(array.dtype)
    with np.errstate(invalid="ignore"):  # a NaN is neither positive nor negative
        return np.asarray(change(array, rng)).astype(array.dtype)
