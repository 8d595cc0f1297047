"""How the values of an input are distributed.

Faults hide behind mixed values. An accumulator that starts at 0 instead of the least number is right for the maximum of
every vector with a positive element; a sort that does nothing is right for sorted elements. A distribution rearranges
values that were drawn, or changes their signs, so that no value gets larger than it was.
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
    """Magnitudes. A zero, and the least integer, which has no magnitude in its type, becomes 1."""
    size = np.abs(x)
    return np.where(size > 0, size, np.ones_like(x))


def _negative(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same below zero, if the type has that."""
    return _positive(x, rng) if x.dtype.kind == "u" else -_positive(x, rng)


def _rectified(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Zero in place of what is negative, and of some others, for unsigned numbers are not."""
    return np.where((x > 0) & (rng.random(x.shape) < 0.8), x, np.zeros_like(x))


def _sparse(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Most elements are zero, or all but one along the last axis."""
    kept = rng.random(x.shape)
    chosen = kept == kept.max(axis=-1, keepdims=True) if rng.random() < 0.5 else kept < _DENSITY
    return np.where(chosen, x, np.zeros_like(x))


def _constant(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.full_like(x, x.flat[0])


def _ascending(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sorted in memory, and so along every axis."""
    return np.sort(x, axis=None).reshape(x.shape)


def _descending(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.sort(x, axis=None)[::-1].reshape(x.shape)


def _duplicated(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.choice(rng.choice(x.ravel(), _DUPLICATED), x.shape)


def _alternating(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Neighbours along every axis have opposite signs."""
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
"""By name, with the weight with which each is drawn."""

_WEIGHTS = np.array([weight for weight, _ in DISTRIBUTIONS.values()]) / sum(w for w, _ in DISTRIBUTIONS.values())


def all_distributed(arrays: Iterable[np.ndarray], rng: np.random.Generator, first: str = "") -> list[np.ndarray]:
    """Arrays of mixed values in distributions that are drawn, but that of the ``first`` one, where it is given."""
    return [distributed(array, rng, "" if number else first) for number, array in enumerate(arrays)]


def distributed(array: np.ndarray, rng: np.random.Generator, name: str = "") -> np.ndarray:
    """An array of mixed values in the distribution of that name, or in one that is drawn."""
    name = name or list(DISTRIBUTIONS)[rng.choice(len(_WEIGHTS), p=_WEIGHTS)]
    _, change = DISTRIBUTIONS[name]
    return in_distribution(array, change, rng)


def in_distribution(array: np.ndarray, change: Distribution, rng: np.random.Generator) -> np.ndarray:
    """An array in a distribution; what is true counts as positive, and what is false as negative.

    Of complex numbers each part is.
    """
    if not array.size or not array.ndim:
        return array
    if complexes.is_complex(array):
        return complexes.by_parts(lambda part: in_distribution(part, change, rng), array)
    if array.dtype.kind == "b":
        return np.asarray(change(np.where(array, 1, -1), rng) > 0)
    if (dtype := dtypes.of_array(array)) in dtypes.NARROW:
        wide = in_distribution(array.astype(dtypes.to_numpy(dtypes.computed_in(dtype))), change, rng)
        return (wide if dtypes.is_signed(dtype) else np.abs(wide)).astype(array.dtype)
    with np.errstate(invalid="ignore"):  # a NaN is neither positive nor negative
        return np.asarray(change(array, rng)).astype(array.dtype)
