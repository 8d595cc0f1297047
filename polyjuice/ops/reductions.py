"""Reductions, index reductions, softmax, and matrix products."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS, NUMERIC
from polyjuice.ops import errors, sampling
from polyjuice.ops.shapes import Dims, ShapeMismatch, normalize_axis
from polyjuice.ops.spec import Attr, ErrorContext, ErrorFn, Op, Operand, Sample, TorchCall, TorchFn

_WIDE = (*FLOATS, "int32", "int64")
"""The types of ONNX's summing operators and products."""

_ORDERED = tuple(t for t in NUMERIC if t != "int16")
"""The types of ONNX's ReduceMax and ReduceMin, which skip int16."""


def _reduced_axes(a: Attrs, rank: int) -> tuple[int, ...]:
    """The axes to reduce: all of them where none are listed, unless ``noop_with_empty_axes``."""
    axes: tuple[int, ...] = tuple(a["axes"])
    if not axes and not a["noop_with_empty_axes"]:
        return tuple(range(rank))
    return tuple(normalize_axis(axis, rank) for axis in axes)


def _reduce_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    axes = a.axes
    if isinstance(s[0], Dims):
        axes = _reduced_axes({"axes": a.axes, "noop_with_empty_axes": a.noop_with_empty_axes}, len(s[0]))
    return [s[0].reduced(axes, a.keepdims)]


def _reducing(function: Any) -> Any:
    def apply(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        axes = _reduced_axes(a, x[0].ndim)
        return np.asarray(function(x[0], axis=axes, keepdims=bool(a["keepdims"]))).astype(x[0].dtype)

    return apply


def _reduce_all(x: np.ndarray, c: ErrorContext, function: Any) -> Any:
    return function(x, axis=_reduced_axes(c.attrs, c.x[0].ndim), keepdims=bool(c.attrs["keepdims"]))


def _extreme(function: Any, sign: int) -> Any:
    """The greatest (sign 1) or least (sign -1) element; over no elements the type's least or greatest value."""

    def reduce(x: np.ndarray, axis: tuple[int, ...], keepdims: bool) -> Any:
        if np.issubdtype(x.dtype, np.floating):
            return function(x, axis=axis, keepdims=keepdims, initial=-sign * np.inf)
        limits = np.iinfo(x.dtype)
        return function(x, axis=axis, keepdims=keepdims, initial=limits.min if sign > 0 else limits.max)

    return reduce


def _terms(c: ErrorContext) -> int:
    return sampling.total(c.x[0].shape[axis] for axis in _reduced_axes(c.attrs, c.x[0].ndim))


def _sum_error(c: ErrorContext) -> object:
    e = np.broadcast_to(c.e[0], c.x[0].shape)
    return errors.summed(_terms(c), c, _reduce_all(e, c, np.sum), _reduce_all(np.abs(c.x[0]), c, np.sum))


def _mean_error(c: ErrorContext) -> object:
    return np.asarray(_sum_error(c)) / max(_terms(c), 1)


def _prod_error(c: ErrorContext) -> object:
    x = np.abs(c.x[0])
    high = _reduce_all(x + c.e[0], c, np.prod)
    return high - _reduce_all(x, c, np.prod) + _terms(c) * c.unit * high


def _extreme_error(c: ErrorContext) -> object:
    e = np.broadcast_to(c.e[0], c.x[0].shape)
    return _reduce_all(e, c, _extreme(np.max, 1))


def _torch_axes(c: TorchCall) -> tuple[int, ...]:
    return _reduced_axes(c.attrs, c.types[0].rank)


def _torch_sum(function: str, typed: bool) -> TorchFn:
    def spell(c: TorchCall) -> str:
        axes = _torch_axes(c)
        dtype = f", dtype=torch.{c.types[0].dtype}" if typed else ""
        if not axes:
            return f"{c.x[0]}.clone()"
        return f"torch.{function}({c.x[0]}, dim={axes}, keepdim={bool(c.attrs['keepdims'])}{dtype})"

    return spell


def _torch_prod(c: TorchCall) -> str:
    """torch.prod reduces one axis at a time: the last first, so that the others keep their numbers."""
    text = c.x[0]
    for axis in sorted(_torch_axes(c), reverse=True):
        text = f"torch.prod({text}, dim={axis}, keepdim={bool(c.attrs['keepdims'])}, dtype=torch.{c.types[0].dtype})"
    return text if text != c.x[0] else f"{c.x[0]}.clone()"


def _draw_axes(rng: random.Random, first: TensorType) -> Attrs | None:
    if first.rank == 0 or 0 in first.shape:
        return None
    return {"axes": sampling.some_axes(rng, first.rank), "keepdims": rng.randint(0, 1), "noop_with_empty_axes": 0}


def _reduction(
    name: str, function: Any, error: ErrorFn, torch: TorchFn, dtypes: tuple[str, ...], **properties: Any
) -> Op:
    return Op(
        name=name,
        inputs=("T",),
        types={"T": dtypes},
        results=("T",),
        shape=_reduce_shape,
        numpy=_reducing(function),
        error=error,
        torch=torch,
        sample=sampling.alone_with(_draw_axes),
        attrs=(
            Attr("axes", "ints", (), as_input=True),
            Attr("keepdims", "int", 1),
            Attr("noop_with_empty_axes", "int", 0),
        ),
        **properties,
    )


# --- ArgMax, ArgMin --------------------------------------------------------------------------------------------------


def _arg_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if s[0][normalize_axis(a.axis, len(s[0]))] == 0:
        raise ShapeMismatch("an index reduction over no elements")
    return [s[0].reduced((a.axis,), a.keepdims)]


def _arg(sign: int) -> Any:
    """The index of the greatest (sign 1) or least (sign -1) element; of equals the first, on request the last."""
    function = np.argmax if sign > 0 else np.argmin

    def apply(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
        axis = a["axis"]
        if a["select_last_index"]:
            n = x[0].shape[axis]
            index = n - 1 - function(np.flip(x[0], axis), axis=axis)
        else:
            index = function(x[0], axis=axis)
        return np.expand_dims(index, axis) if a["keepdims"] else np.asarray(index)

    return apply


def _arg_error(sign: int) -> ErrorFn:
    """Unbounded where the runner-up lies within the errors of the winner; an exact tie counts, for order is open."""

    def bound(c: ErrorContext) -> np.ndarray:
        axis, keep = c.attrs["axis"], bool(c.attrs["keepdims"])
        x = sign * c.x[0].astype(np.float64)
        e = np.broadcast_to(c.e[0], x.shape)
        best = np.max(x, axis=axis, keepdims=True)
        winner = np.expand_dims(np.argmax(x, axis=axis), axis)
        slack = np.take_along_axis(e, winner, axis)
        rivals = x + e >= best - slack
        return np.where(np.sum(rivals, axis=axis, keepdims=keep) > 1, np.inf, 0.0)

    return bound


def _index_reduction(name: str, sign: int, torch: str) -> Op:
    return Op(
        name=name,
        inputs=("T",),
        types={"T": NUMERIC},
        results=("int64",),
        shape=_arg_shape,
        numpy=_arg(sign),
        error=_arg_error(sign),
        torch=lambda c: f"torch.{torch}({c.x[0]}, dim={c.attrs['axis']}, keepdim={bool(c.attrs['keepdims'])})",
        sample=sampling.alone_with(
            lambda rng, first: (
                {"axis": rng.randrange(first.rank), "keepdims": rng.randint(0, 1), "select_last_index": 0}
                if first.rank and 0 not in first.shape
                else None
            )
        ),
        attrs=(Attr("axis", "int", 0), Attr("keepdims", "int", 1), Attr("select_last_index", "int", 0)),
        exact=True,
        continuous=False,
        ties="unspecified",
    )


# --- softmax ---------------------------------------------------------------------------------------------------------


def _shifted(x: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(x - np.max(x, axis=axis, keepdims=True))


def _softmax(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    e = np.exp(_shifted(x[0], a["axis"]))
    return np.asarray(e / np.sum(e, axis=a["axis"], keepdims=True))


def _log_softmax(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    shifted = _shifted(x[0], a["axis"])
    return np.asarray(shifted - np.log(np.sum(np.exp(shifted), axis=a["axis"], keepdims=True)))


def _log_softmax_error(c: ErrorContext) -> np.ndarray:
    """log p = (x - max) - log sum: twice the largest operand error, and the rounding of its terms."""
    axis = c.attrs["axis"]
    worst = np.max(np.broadcast_to(c.e[0], c.x[0].shape), axis=axis, keepdims=True)
    rounding = c.unit * (4 * np.abs(_shifted(c.x[0], axis)) + 4 * np.abs(c.y[0]) + c.x[0].shape[axis] + 8)
    return np.asarray(2 * worst + rounding + np.zeros_like(c.y[0]))


def _softmax_error(c: ErrorContext) -> np.ndarray:
    return np.asarray(c.y[0] * np.expm1(_log_softmax_error(c)))


def _softmax_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    if isinstance(s[0], Dims):
        normalize_axis(a.axis, len(s[0]))
    return [s[0]]


def _softmax_like(name: str, numpy: Any, error: ErrorFn, torch: str) -> Op:
    return Op(
        name=name,
        inputs=("T",),
        types={"T": FLOATS},
        results=("T",),
        shape=_softmax_shape,
        numpy=numpy,
        error=error,
        torch=lambda c: f"{torch}({c.x[0]}, dim={c.attrs['axis']})",
        sample=sampling.alone_with(
            lambda rng, first: {"axis": rng.randrange(first.rank)} if first.rank and 0 not in first.shape else None
        ),
        attrs=(Attr("axis", "int", -1),),
        ulps=4,
    )


# --- products --------------------------------------------------------------------------------------------------------


def _matmul_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """NumPy's matmul. The rendered form (for the e-graph) covers operands of rank 2 and more."""
    left, right = s
    if isinstance(left, Dims):
        if not left or not right:
            raise ShapeMismatch("MatMul takes no scalars")
        m, n = left[:-1][-1:], right[-1:] if len(right) > 1 else ()
        if left[-1] != right[-2 if len(right) > 1 else -1]:
            raise ShapeMismatch(f"cannot multiply matrices of shapes {tuple(left)} and {tuple(right)}")
        batch = Dims(left[:-2]).broadcast(Dims(right[:-2]))
        return [Dims((*batch, *m, *n))]
    return [left.batch(2).broadcast(right.batch(2)).append(left[-2], right[-1])]


def _matmul_error(c: ErrorContext) -> np.ndarray:
    a, b = (np.abs(x) for x in c.x)
    ea, eb = (np.broadcast_to(e, np.shape(x)) for e, x in zip(c.e, c.x, strict=True))
    spread = _product(a, eb) + _product(ea, b + eb)
    return np.asarray(errors.summed(a.shape[-1], c, spread, np.matmul(a, b)))


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A matrix product of magnitudes in which 0 times infinity counts as infinity."""
    if np.isinf(a).any() or np.isinf(b).any():
        bad = np.matmul(np.isinf(a).astype(float), np.ones_like(b)) + np.matmul(
            np.ones_like(a), np.isinf(b).astype(float)
        )
        out = np.matmul(np.where(np.isinf(a), 0, a), np.where(np.isinf(b), 0, b))
        return np.where(bad > 0, np.inf, out)
    return np.asarray(np.matmul(a, b))


def _sample_matmul(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank == 0:
        return None
    n = sampling.size(rng)
    if first.rank == 1:
        batch: tuple[int, ...] = ()
    else:
        batch = rng.choice(((), first.shape[:-2], tuple(1 for _ in first.shape[:-2])))
    shape = (*batch, first.shape[-1], n) if rng.random() < 0.95 else (first.shape[-1],)
    return Sample((Operand(TensorType(first.dtype, shape)),))


def _gemm(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    left = x[0].T if a["transA"] else x[0]
    right = x[1].T if a["transB"] else x[1]
    out = np.asarray(a["alpha"], left.dtype) * (left @ right)
    return np.asarray(out + np.asarray(a["beta"], left.dtype) * x[2] if len(x) > 2 else out)


def _gemm_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if len(s[0]) != 2 or len(s[1]) != 2:
        raise ShapeMismatch("Gemm takes matrices")
    (m, k), (l, n) = (d[::-1] if t else d for d, t in zip(s[:2], (a.transA, a.transB), strict=True))
    if k != l:
        raise ShapeMismatch(f"cannot multiply matrices of shapes {tuple(s[0])} and {tuple(s[1])}")
    if len(s) > 2 and s[2].broadcast(Dims((m, n))) != (m, n):
        raise ShapeMismatch(f"the bias {tuple(s[2])} does not broadcast to {(m, n)}")
    return [Dims((m, n))]


def _gemm_error(c: ErrorContext) -> np.ndarray:
    left, right = (np.abs(x.T if c.attrs[t] else x) for x, t in zip(c.x[:2], ("transA", "transB"), strict=True))
    e = [np.broadcast_to(e, np.shape(x)) for e, x in zip(c.e, c.x, strict=True)]
    el, er = (m.T if c.attrs[t] else m for m, t in zip(e[:2], ("transA", "transB"), strict=True))
    alpha, beta = abs(c.attrs["alpha"]), abs(c.attrs["beta"])
    spread, size = alpha * (_product(left, er) + _product(el, right + er)), alpha * np.matmul(left, right)
    if len(c.x) > 2:
        spread, size = spread + beta * e[2], size + beta * np.abs(c.x[2])
    return np.asarray(errors.summed(left.shape[1] + 4, c, spread, size))


def _gemm_torch(c: TorchCall) -> str:
    left = f"{c.x[0]}.t()" if c.attrs["transA"] else c.x[0]
    right = f"{c.x[1]}.t()" if c.attrs["transB"] else c.x[1]
    alpha, beta = c.attrs["alpha"], c.attrs["beta"]
    if len(c.x) == 2:
        return f"torch.mm({left}, {right})" + (f" * {alpha}" if alpha != 1.0 else "")
    return f"torch.addmm({c.x[2]}, {left}, {right}, beta={beta}, alpha={alpha})"


def _sample_gemm(rng: random.Random, first: TensorType) -> Sample | None:
    if first.rank != 2 or 0 in first.shape:
        return None
    flip_a, flip_b = rng.randint(0, 1), rng.randint(0, 1)
    m, k = first.shape[::-1] if flip_a else first.shape
    n = sampling.size(rng)
    bias = rng.choice(((m, n), (n,), (1, n), (m, 1)))
    attrs = {
        "alpha": rng.choice((1.0, 1.0, 2.0)),
        "beta": rng.choice((1.0, 1.0, 3.0)),
        "transA": flip_a,
        "transB": flip_b,
    }
    right = TensorType(first.dtype, (n, k) if flip_b else (k, n))
    return Sample((Operand(right), Operand(TensorType(first.dtype, bias))), attrs)


def _magnitudes(numpy: Any) -> Any:
    """All intermediate sums of a linear operator are bounded by its value on magnitudes."""
    return lambda x, a: numpy([np.abs(v) for v in x], a)


_sum, _prod = _reducing(np.sum), _reducing(np.prod)

OPS = (
    _reduction(
        "ReduceSum", np.sum, _sum_error, _torch_sum("sum", True), _WIDE, exact=True, partial=_magnitudes(_sum), weight=3
    ),
    _reduction("ReduceMean", np.mean, _mean_error, _torch_sum("mean", False), FLOATS, ulps=2),
    _reduction(
        "ReduceMax", _extreme(np.max, 1), _extreme_error, _torch_sum("amax", False), _ORDERED, exact=True, weight=1.5
    ),
    _reduction("ReduceMin", _extreme(np.min, -1), _extreme_error, _torch_sum("amin", False), _ORDERED, exact=True),
    _reduction(
        "ReduceProd",
        np.prod,
        _prod_error,
        _torch_prod,
        _WIDE,
        exact=True,
        partial=lambda x, a: _prod([np.maximum(np.abs(x[0]), 1)], a),
        weight=0.5,
    ),
    _index_reduction("ArgMax", 1, "argmax"),
    _index_reduction("ArgMin", -1, "argmin"),
    _softmax_like("Softmax", _softmax, _softmax_error, "torch.softmax"),
    _softmax_like("LogSoftmax", _log_softmax, _log_softmax_error, "torch.log_softmax"),
    Op(
        name="MatMul",
        inputs=("T", "T"),
        types={"T": _WIDE},
        results=("T",),
        shape=_matmul_shape,
        numpy=lambda x, a: np.matmul(x[0], x[1]),
        error=_matmul_error,
        torch=("torch.matmul({0}, {1})", "{0} @ {1}"),
        sample=_sample_matmul,
        exact=True,
        partial=_magnitudes(lambda x, a: np.matmul(x[0], x[1])),
        weight=4,
    ),
    Op(
        name="Gemm",
        inputs=("T", "T", "T"),
        min_inputs=2,
        types={"T": _WIDE},
        results=("T",),
        shape=_gemm_shape,
        numpy=_gemm,
        error=_gemm_error,
        torch=_gemm_torch,
        sample=lambda rng, first: _sample_gemm(rng, first) if first.dtype in FLOATS else None,
        attrs=(
            Attr("alpha", "float", 1.0),
            Attr("beta", "float", 1.0),
            Attr("transA", "int", 0),
            Attr("transB", "int", 0),
        ),
        exact=True,
        partial=lambda x, a: _gemm([np.abs(v) for v in x], {**a, "alpha": abs(a["alpha"]), "beta": abs(a["beta"])}),
    ),
)
