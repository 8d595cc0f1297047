"""Judge the results of a case's programs: the one place where a suite makes its verdicts.

An element is wrong if it leaves the tolerance that ``inputs.npz`` has around the float64 reference. The tolerance is
the error bound of a correct compiler, infinite where nothing is known. The element must *also* lie farther from the
reference than the framework's own uncompiled run, if there is one. Types and shapes must be the declared ones. This
file needs only NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Array = tuple[str, "np.ndarray[Any, Any]"]
"""(element type, values); types that NumPy lacks are stored as bits."""

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

RUNS = 2
"""The number of runs of a program on its inputs: in some compilers the first run overwrites data of the second."""

_HELD_AS_BITS = ("bfloat16", "float8e4m3fn", "float8e5m2", "int4", "uint4")
_SHOWN = 3


class Ran(NamedTuple):
    """The outcome of a program: as ``polyjuice.execution.Outcome``, with arrays in the worker's form."""

    status: str
    stage: str = ""
    message: str = ""
    outputs: Sequence[Sequence[Array]] = ()
    reference: Sequence[Sequence[Array]] | None = None


def read_arrays(path: Path) -> dict[str, Array]:
    """The arrays of an ``inputs.npz`` with their element types, which the names of some of them end in."""
    arrays: dict[str, Array] = {}
    with np.load(path) as stored:
        for key, x in stored.items():
            name, _, dtype = key.rpartition("@")
            arrays.update({name: (dtype, x)} if dtype in _HELD_AS_BITS else {key: (x.dtype.name, x)})
    return arrays


def verdict(
    case: Mapping[str, Any], arrays: Mapping[str, Array], format: str, ran: Mapping[str, Ran]
) -> tuple[str, str]:
    """``passed``, ``failed`` or ``skipped``, and a message; ``ran`` has each side's program."""
    wrong = {side: _wrong(case, arrays, format, side, r) for side, r in ran.items()}
    if any(wrong.values()):
        fine = [side for side, r in ran.items() if r.status == "ok" and not wrong[side]]
        return FAILED, "\n".join(
            [*filter(None, wrong.values()), *(f"{side}, its equivalent, is right" for side in fine)]
        )
    refused = [f"{side}: {_headline(r.message)}" for side, r in ran.items() if r.status == "unsupported"]
    return (SKIPPED, f"the compiler does not take it: {refused[0]}") if refused else (PASSED, "")


def _wrong(case: Mapping[str, Any], arrays: Mapping[str, Array], format: str, side: str, ran: Ran) -> str:
    """The fault of a program, in the first output that has one; or ""."""
    if ran.status not in ("ok", "unsupported"):
        return f"{side} failed in {ran.stage}: {ran.message}"
    for number, outputs in enumerate(ran.outputs):
        if len(outputs) != len(case["outputs"]):
            return f"{side}: it has {len(outputs)} outputs, not {len(case['outputs'])}"
        for k, declared in enumerate(case["outputs"]):
            plain = ran.reference[number][k] if ran.reference else None
            text = _mistyped(outputs[k], declared)
            if text and (plain is None or _mistyped(plain, declared) != text):
                return f"{side}: output {k} has {text}"
            allowed = f"allowed_{side}_{k}"  # TensorFlow has its own where it leaves ties open
            _, tolerance = arrays.get(f"{allowed}_{format}", arrays[allowed])
            if not text and (text := _off(outputs[k], arrays[f"expected_{k}"][1], tolerance, plain)):
                again = f", in run {number + 1}" if number else ""
                return f"{side}: output {k} ({declared['dtype']}{declared['shape']}{again}) {text}"
    return ""


def _mistyped(array: Array, declared: Mapping[str, Any]) -> str:
    """How the element type or the shape of a result differs from the declared one, or ""."""
    made, wanted = (array[0], list(array[1].shape)), (declared["dtype"], list(declared["shape"]))
    return "" if made == wanted else f"type {made[0]}{made[1]}, not {wanted[0]}{wanted[1]}"


def _off(
    array: Array, expected: np.ndarray[Any, Any], allowed: np.ndarray[Any, Any], plain: Array | None = None
) -> str:
    """How a result of the right type is wrong, or ""; ``plain`` is the framework's own uncompiled result."""
    error = distance(values(array), expected)
    wrong = error > allowed
    if plain is not None and wrong.any() and plain[1].shape == array[1].shape:
        wrong &= error > distance(values(plain), expected)
    if not wrong.any():
        return ""
    at = np.unravel_index(np.argmax(np.where(wrong, error, -1.0)), wrong.shape)
    places = [str([int(i) for i in place]) for place in np.argwhere(wrong)]
    more = [*places[:_SHOWN], *(["..."] if len(places) > _SHOWN else [])]
    bound = np.broadcast_to(allowed, wrong.shape)[at]
    return (
        f"is wrong at {len(places)} of {wrong.size} elements ({', '.join(more)}): at {[int(i) for i in at]} it gives "
        f"{values(array)[at]}, and float64 {expected[at]}; they may differ by {bound:.3g}"
    )


def _headline(text: str) -> str:
    """The first line of a text, with the next line for as long as a line ends in a colon."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error_line = next((n for n, line in enumerate(lines, 1) if not line.endswith(":")), len(lines))
    return " ".join(lines[:error_line])


def _e4m3() -> np.ndarray[Any, Any]:
    """The numbers of float8e4m3fn by their bits: a sign, 4 bits of an exponent with bias 7, 3 bits of a fraction."""
    bits = np.arange(128)
    exponent, fraction = bits >> 3, bits & 7
    positive = np.where(exponent, (8 + fraction) * 2.0 ** (exponent - 10), fraction * 2.0**-9)
    positive[127] = np.nan
    return np.concatenate([positive, -positive]).astype(np.float32)


_E4M3 = _e4m3()


def values(array: Array) -> np.ndarray[Any, Any]:
    """The numbers of an array, in a type of NumPy."""
    dtype, bits = array
    if dtype == "float8e5m2":  # the upper half of a float16
        return (bits.astype(np.uint16) << 8).view(np.float16)
    if dtype == "float8e4m3fn":
        return _E4M3[bits]
    if dtype == "int4":
        return (bits.astype(np.int8) ^ 8) - 8
    return (bits.astype(np.uint32) << 16).view(np.float32) if dtype == "bfloat16" else bits


def distance(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """|a - b| in float64; infinite where just one is a NaN or they are different infinities, 0 where both agree.

    For complex numbers it is the modulus of the difference.
    """
    if "c" in (a.dtype.kind, b.dtype.kind):
        modulus: np.ndarray[Any, Any] = np.hypot(distance(a.real, b.real), distance(a.imag, b.imag))
        return modulus
    with np.errstate(all="ignore"):
        x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
        gap = np.abs(x - y)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        if a.dtype.kind in "iu" and b.dtype.kind in "iu":
            same = a == b
            gap = np.where(same, 0.0, np.maximum(gap, 1.0))
    result: np.ndarray[Any, Any] = np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))
    return result
