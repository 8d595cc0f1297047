"""Find where a result is wrong and by how much, and describe it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polyjuice.ir import UNKNOWN, TensorType, dtypes
from polyjuice.numerics.analysis import Analysis
from polyjuice.numerics.distances import SAFETY, distance

_SHOWN = 4


@dataclass(frozen=True)
class Judgement:
    """For each element of a result: whether it is ``wrong``, its ``error``, and its error ``bound``.

    Masked elements are never wrong.
    """

    wrong: np.ndarray
    error: np.ndarray
    bound: np.ndarray

    def __bool__(self) -> bool:
        return bool(self.wrong.any())

    @cached_property
    def excess(self) -> np.ndarray:
        """The error in units of its bound; infinite where the bound is 0 and the error is not."""
        with np.errstate(all="ignore"):
            return np.where(self.error > 0, self.error / self.bound, 0.0)

    @property
    def worst(self) -> tuple[int, ...]:
        """The wrong element that is farthest outside its bound; among equals the farthest from the reference."""
        wrong = np.flatnonzero(self.wrong)
        farthest = np.lexsort((self.error.ravel()[wrong], self.excess.ravel()[wrong]))[-1]
        return tuple(int(n) for n in np.unravel_index(wrong[farthest], self.wrong.shape))


def judge(array: np.ndarray, analysis: Analysis, plain: np.ndarray | None = None) -> Judgement:
    """Compare a result with its analysis. Both have the same shape.

    An element is wrong if it leaves its error bound. If ``plain``, the framework's uncompiled result, is given, a wrong
    element must also lie farther from the float64 reference than ``plain``.
    """
    error = distance(array, analysis.reference)
    allowed = SAFETY * analysis.bound
    wrong = np.isfinite(allowed) & (error > allowed)
    if plain is not None and wrong.any():
        wrong &= error > distance(plain, analysis.reference)
    return Judgement(wrong, error, analysis.bound)


def describe(label: str, array: np.ndarray, analysis: Analysis, judgement: Judgement) -> str:
    """A sentence that says where and how far a program's result is wrong; the judgement must have a wrong element."""
    at = judgement.worst
    excess = judgement.excess[at]
    if np.isfinite(excess):
        off = f"is off by {excess:.2g} times its error bound"
    elif np.isfinite(judgement.error[at]):
        off = f"is off by {judgement.error[at]:.3g} where the result is {'exact' if analysis.reproducible else 'known'}"
    else:
        off = "is not even near"
    return (
        f"{label} {off} at {listing(judgement.wrong)}; at {list(at)} it gives {_number(array[at])}, "
        f"and float64 {_number(analysis.reference[at])}"
    )


def listing(mask: np.ndarray, most: int = _SHOWN) -> str:
    """The number of set elements of a mask, and the first of them: ``3 of 24 elements ([0, 1], [0, 2], [2, 0])``."""
    places = [list(map(int, at)) for at in zip(*np.nonzero(np.atleast_1d(mask)), strict=True)]
    first = ", ".join(map(str, places[:most])) + (", ..." if len(places) > most else "")
    if not mask.shape:
        return "its only element"
    return f"{len(places)} of {mask.size} elements" + (f" ({first})" if places else "")


def mistyped(array: np.ndarray, type: TensorType) -> str:
    """How the element type or the shape of a result differs from the declared one, or ""."""
    problems = []
    if array.dtype != dtypes.to_numpy(type.dtype):
        problems.append(f"element type {array.dtype}, not {type.dtype}")
    if array.ndim != type.rank or any(n not in (m, UNKNOWN) for m, n in zip(array.shape, type.shape, strict=True)):
        problems.append(f"shape {array.shape}, not {type.shape}")
    return " and ".join(problems)


def _number(value: np.generic) -> str:
    if value.dtype.kind == "c":
        return f"{complex(value):.9g}"
    return str(value) if value.dtype.kind in "iub" else f"{float(value):.9g}"
