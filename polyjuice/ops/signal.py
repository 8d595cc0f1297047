"""Signal processing: Fourier transforms of a whole axis, or of windows of a signal. Complex numbers are pairs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.normal import GivenAttrs, Types, along_axis
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, normalize_axis, require
from polyjuice.ops.spec import Attr, Call, Op, Sample, attributes, facts
from polyjuice.ops.text import spell

_SINGLE_OR_DOUBLE = ("float32", "float64")

_MIXED = 4.0
"""How often a fast transform adds each element."""


def _mixed(length: int) -> float:
    """The sums of a fast transform, by the greatest element, for each element.

    Lengths that are no powers of two may take Bluestein's convolution, whose spectrum is greater by its length's root.
    """
    return _MIXED if length & (length - 1) == 0 else _MIXED * math.sqrt(2 * length)


_Define = Callable[..., Term]


def _matrix(points: int, parts: int, length: int, inverse: int, onesided: int) -> np.ndarray:
    """The transform of ``points`` numbers of one or two ``parts`` each, as a matrix from their line to the result's."""
    unit = np.eye(points * parts).reshape(-1, points, parts)
    signal = unit[..., 0] + (1j * unit[..., 1] if parts == 2 else 0)
    if inverse and onesided:
        return np.fft.irfft(signal, length, axis=1)[..., None]
    found = np.fft.ifft(signal, length, axis=1) if inverse else np.fft.fft(signal, length, axis=1)
    kept = found[:, : length // 2 + 1] if onesided else found
    return np.stack([kept.real, kept.imag], axis=-1)


def _transformed(x: Term, length: int, inverse: int, onesided: int, fast: bool) -> Term:
    """The transform of the axis before the last.

    A ``fast`` transform adds all elements up, with signs and factors, even where the result has only some of them.
    """
    *lead, points, parts = x.shape
    matrix = _matrix(points, parts, length, inverse, onesided)
    lines = matrix.reshape(points * parts, -1).astype(dtypes.to_numpy(x.dtype))
    y = (x.reshape(*lead, points * parts) @ x.constant(lines)).reshape(*lead, *matrix.shape[1:])
    mixed = abs(x).reduce("Max", x.rank - 2, x.rank - 1) * (_mixed(length) * points / (length if inverse else 1))
    return (y + mixed) - mixed if fast else y


def _with_fast(define: Callable[[bool], _Define]) -> dict[str, Any]:
    return {"definition": define(False), "algorithms": (onnx_term(define(True)),)}


# --- DFT -------------------------------------------------------------------------------------------------------------


def _dft(fast: bool) -> _Define:
    def define(x: Term, a: Attrs) -> Term:
        axis, last = normalize_axis(a["axis"], x.rank), x.rank - 1
        perm = [i for i in range(last) if i != axis]
        moved = x.permute(*perm, axis, last)
        y = _transformed(moved, a["dft_length"], a["inverse"], a["onesided"], fast)
        return y.permute(*np.argsort([*perm, axis, last]).tolist())

    return define


def _dft_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    (x,), real = s, a.inverse and a.onesided
    require(len(x) > 2 and 0 not in x and x[-1] in (1, 2) and normalize_axis(a.axis, len(x)) < len(x) - 1)
    require(a.dft_length > 0 and (not a.onesided or x[-1] == 1 + a.inverse))
    length = a.dft_length // 2 + 1 if a.onesided and not a.inverse else a.dft_length
    return [x.replace(a.axis, length).replace(-1, 1 if real else 2)]


def _complex(x: str, parts: int) -> str:
    return f"torch.complex({x}[..., 0], {x}[..., 1])" if parts == 2 else f"{x}[..., 0]"


def _dft_torch(c: Call) -> str:
    a, t = c.attrs, c.types[0]
    kind = "i" * a["inverse"] + "r" * a["onesided"]
    signal, axis = _complex(c.let(c.x[0]), t.shape[-1]), normalize_axis(a["axis"], t.rank)
    text = f"torch.fft.{kind}fft({signal}, {a['dft_length']}, {axis})"
    return f"{text}.unsqueeze(-1)" if kind == "ir" else f"torch.view_as_real({text})"


@sampling.of_rank(3)
def _sample_dft(rng: random.Random, first: TensorType) -> Sample | None:
    parts = first.shape[-1]
    if parts > 2:
        return None
    axis, inverse = rng.randrange(first.rank - 1), rng.randint(0, 1)
    onesided, size = rng.randint(0, 1) if parts == 1 + inverse else 0, first.shape[axis]
    usual = max(1, 2 * (size - 1)) if inverse and onesided else size
    length = usual if rng.random() < 0.7 else rng.randint(1, 9)
    return Sample((), {"axis": axis, "inverse": inverse, "onesided": onesided, "dft_length": length})


# --- STFT ------------------------------------------------------------------------------------------------------------


def _stft(fast: bool) -> _Define:
    def define(x: Term, *rest: Any) -> Term:
        *window, a = rest
        size, count = a["frame_length"], _frames(x.shape[1], a["frame_length"], a["frame_step"])
        places = np.arange(count)[:, None] * a["frame_step"] + np.arange(size)
        frames = x.then("Gather", x.constant(places), axis=1)
        weighted = frames * window[0].reshape(size, 1) if window else frames
        return _transformed(weighted, size, 0, a["onesided"], fast)

    return define


def _frames(signal: int, length: int, step: int) -> int:
    return (signal - length) // step + 1


def _stft_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    x, *window = s
    size = a.frame_length
    require(len(x) == 3 and 0 not in x and x[2] in (1, 2) and 0 < size <= x[1] and a.frame_step > 0)
    require(all(w == (size,) for w in window) and not (a.onesided and x[2] == 2))
    return [Dims((x[0], _frames(x[1], size, a.frame_step), size // 2 + 1 if a.onesided else size, 2))]


def _stft_torch(c: Call) -> str:
    a, parts = c.attrs, c.types[0].shape[2]
    options = f"n_fft={a['frame_length']}, hop_length={a['frame_step']}, center=False, onesided={bool(a['onesided'])}"
    window = f", window={c.x[1]}" if len(c.x) > 1 else ""
    signal = _complex(c.let(c.x[0]), parts)
    return f"torch.view_as_real(torch.stft({signal}, {options}{window}, return_complex=True).transpose(1, 2))"


@sampling.of_rank(3, 3)
def _sample_stft(rng: random.Random, first: TensorType) -> Sample | None:
    _, length, parts = first.shape
    if parts > 2:
        return None
    size = rng.randint(1, length)
    attrs = {"frame_length": size, "frame_step": rng.randint(1, 3), "onesided": rng.randint(0, 1) if parts == 1 else 0}
    return sampling.operands(first, *[(size,)] * rng.randint(0, 1), **attrs)


def _normal_dft(a: GivenAttrs, x: Types) -> None:
    along_axis(a, x)
    size = x[0].shape[a["axis"]]
    a.setdefault("dft_length", 2 * (size - 1) if a["inverse"] and a["onesided"] else size)


OPS: tuple[Op, ...] = (
    composed(
        "DFT",
        text=spell(_dft_torch),
        sample=_sample_dft,
        dtypes=_SINGLE_OR_DOUBLE,
        shape=_dft_shape,
        attrs=(
            Attr("dft_length", "int", as_input=True, scalar=True),
            Attr("axis", "int", -2, as_input=True, scalar=True),
            *attributes(inverse=0, onesided=0),
        ),
        **_with_fast(_dft),
        normal=_normal_dft,
        **facts(since=20, weight=0.3, followers="Mul Add"),
    ),
    composed(
        "STFT",
        text=spell(_stft_torch),
        sample=_sample_stft,
        dtypes=_SINGLE_OR_DOUBLE,
        operands=2,
        shape=_stft_shape,
        attrs=(
            Attr("frame_step", "int", as_input=True, scalar=True, place=1),
            Attr("frame_length", "int", as_input=True, scalar=True, place=3),
            *attributes(onesided=1),
        ),
        **_with_fast(_stft),
        normal=lambda a, x: a.setdefault("frame_length", x[1].shape[0] if len(x) > 1 else x[0].shape[1]),
        **facts(min_inputs=1, weight=0.3, data_inputs=1, followers="Mul Add"),
    ),
)
