"""ONNX Runtime's own operators (the domain ``com.microsoft``) on 8-bit and 4-bit integers, defined by ONNX's operators.

Between integers, a definition quantizes and dequantizes. In double precision, it does so by arithmetic.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling
from polyjuice.ops.contrib import own
from polyjuice.ops.decomposition_terms import Term, concat, where
from polyjuice.ops.quantization import (
    BYTES,
    IN_SINGLE,
    dequantized,
    extent,
    in_single,
    number,
    quantized,
    scale_and_zero,
    zero_of,
    zero_points,
)
from polyjuice.ops.shapes import Dims, fitting
from polyjuice.ops.spec import CONTRIB, Attr, Op, Operand, Sample, SampleFn, attributes, facts
from polyjuice.ops.windows import draw_window, normal_average, normal_window


def _bytewise(name: str, definition: Callable[..., Term], sample: SampleFn, inputs: str, **more: Any) -> Op:
    """An operator on bytes (in ``inputs`` B, with scales S), whose result is bytes."""
    settings: dict[str, Any] = {"types": {"B": BYTES, "S": ("float32",)}, **more}
    return own(
        name,
        definition,
        sample,
        inputs=tuple(inputs),
        results=("B",),
        error=in_single(f"{CONTRIB}.{name}"),
        why_not_derived=IN_SINGLE,
        continuous=False,
        **settings,
    )


# --- functions of elements -------------------------------------------------------------------------------------------


def _unary(name: str, function: Callable[[Term, Attrs], Term], draw: SampleFn = sampling.alone, **more: Any) -> Op:
    def definition(x: Term, scale: Term, zero: Term, to: Term, to_zero: Term, a: Attrs) -> Term:
        return quantized(function(dequantized(x, scale, zero), a), to, to_zero)

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        drawn, one = draw(rng, first), first.dtype
        return drawn and Sample((*scale_and_zero(one, 1, 4), *scale_and_zero(one, 1, 9)), drawn.attrs)

    return _bytewise(name, definition, sample, "BSBSB", **more)


def _binary(name: str, function: Callable[[Term, Term], Term]) -> Op:
    def definition(*operands: Any) -> Term:
        return quantized(function(dequantized(*operands[:3]), dequantized(*operands[3:6])), *operands[6:8])

    def sample(rng: random.Random, first: TensorType) -> Sample:
        second, one = sampling.same_type(1)(rng, first), first.dtype
        assert second
        numbers = scale_and_zero(one, 1, 4)
        return Sample((*numbers, *second.operands, *numbers, *scale_and_zero(one, 3, 31)))

    return _bytewise(name, definition, sample, "BSBBSBSB", shape=lambda s, a: [s[0].broadcast(s[3])])


def _selected(condition: Term, *operands: Any) -> Term:
    chosen = where(condition, dequantized(*operands[:3]), dequantized(*operands[3:6]))
    return quantized(chosen, *operands[6:8])


def _sample_selected(rng: random.Random, first: TensorType) -> Sample:
    dtype = rng.choice(BYTES)
    x, y = (Operand(TensorType(dtype, sampling.broadcastable(rng, first.shape))) for _ in range(2))
    numbers = [scale_and_zero(dtype, 1, 4), scale_and_zero(dtype, 1, 4), scale_and_zero(dtype, 1, 9)]
    return Sample((x, *numbers[0], y, *numbers[1], *numbers[2]))


# --- pooling ---------------------------------------------------------------------------------------------------------


def _channels_first(pool: Callable[[Term, Attrs], Term], x: Term, a: Attrs) -> Term:
    """A pooling, before which the channels move in front of the other dimensions, if they stand behind them."""
    if not a.get("channels_last", 1):
        return pool(x, a)
    return pool(x.permute(0, x.rank - 1, *range(1, x.rank - 1)), a).permute(0, *range(2, x.rank), 1)


def _average(x: Term, a: Attrs) -> Term:
    window = {name: a[name] for name in ("kernel_shape", "strides", "pads", "ceil_mode", "count_include_pad")}
    return x.then("AveragePool", **window, dilations=(1,) * (x.rank - 2))


def _draw_average(rng: random.Random, first: TensorType) -> dict[str, Any]:
    last = rng.randint(0, 1)
    window = draw_window(rng, first.shape[1:-1] if last else first.shape[2:], dilate=False)
    del window["dilations"]
    return {**window, "ceil_mode": 0, "count_include_pad": rng.randint(0, 1), "channels_last": last}


def _draw_max(rng: random.Random, first: TensorType) -> dict[str, Any]:
    return {**draw_window(rng, first.shape[1:-1], dilate=True), "ceil_mode": 0}


# --- products --------------------------------------------------------------------------------------------------------


def _fits_columns(scale: int, *vectors: int) -> Callable[[Sequence[Dims], Any], bool]:
    """Whether a scale, if there, is one number or one for each column, and vectors have one for each column."""

    def fits(s: Sequence[Dims], a: Any) -> bool:
        columns = s[1][-1:]
        return s[scale] in ((), columns) and all(s[i] == columns for i in vectors if i < len(s))

    return fits


def _matmul_shape(fits: Callable[[Sequence[Dims], Any], bool]) -> Any:
    return fitting(
        lambda s, a: len(s[0]) > 1 and len(s[1]) == 2 and s[0][-1] == s[1][0] and fits(s, a),
        lambda s, a: [s[0].batch(1).append(s[1][-1])],
    )


def _dynamic_product(x: Term, weights: Term, scale: Term, *rest: Any) -> Term:
    *further, _ = rest
    low, high = extent(x)
    step = where((high - low).equals(0), 1.0, (high - low) / 255)
    zero = zero_of(low, step)
    levels = ((x / step).then("Round") + zero).then("Clip", min=0.0, max=255.0) - zero
    centred: Term = weights.to("int32") - further[0].to("int32")
    return sum(further[1:], (levels @ centred.to(x.dtype)) * (step * scale))


def _draw_weights(rng: random.Random, first: TensorType, dtypes: Sequence[str]) -> tuple[Operand, Operand, Operand]:
    """Weights of one of these types, a scale, which may be one for each column, and a bias."""
    columns = sampling.size(rng)
    weights = TensorType(rng.choice(dtypes), (first.shape[-1], columns))
    scale = TensorType("float32", rng.choice(((), (columns,))))
    return Operand(weights), Operand(scale, (1, 4)), Operand(TensorType("float32", (columns,)))


@sampling.of_rank(2)
def _sample_dynamic_product(rng: random.Random, first: TensorType) -> Sample:
    weights, scale, bias = _draw_weights(rng, first, BYTES)
    zero = number(weights.type.dtype, zero_points(weights.type.dtype))
    return Sample((weights, scale, zero, bias)[: rng.choice((3, 4))])


def _integer_product(x: Term, y: Term, x_scale: Term, y_scale: Term, *rest: Any) -> Term:
    *further, _ = rest
    product = x.then("MatMulInteger", y, *further[:2]).to(x_scale.dtype)
    return sum(further[2:], product * (x_scale * y_scale))


@sampling.of_rank(2)
def _sample_integer_product(rng: random.Random, first: TensorType) -> Sample:
    weights, scale, bias = _draw_weights(rng, first, BYTES if first.dtype == "uint8" else ("int8",))
    zeros = [number(t, zero_points(t)) for t in (first.dtype, weights.type.dtype)]
    return Sample((weights, number("float32", (1, 4)), scale, *zeros, bias)[: rng.choice((3, 4, 5, 5, 6))])


def _quantized_gemm(*operands: Any) -> Term:
    x, x_scale, x_zero, y, y_scale, y_zero, bias, scale, zero, a = operands
    left, right = (m.permute(1, 0) if a[flag] else m for m, flag in ((x, "transA"), (y, "transB")))
    total = left.then("MatMulInteger", right, x_zero, y_zero) + bias
    return quantized(total.to(x_scale.dtype) * (x_scale * y_scale * a["alpha"]), scale, zero)


@sampling.of_rank(2, 2)
def _sample_quantized_gemm(rng: random.Random, first: TensorType) -> Sample:
    flags = {"transA": rng.randint(0, 1), "transB": rng.randint(0, 1)}
    k = first.shape[0] if flags["transA"] else first.shape[1]
    n, dtype = sampling.size(rng), rng.choice(BYTES) if first.dtype == "uint8" else "int8"
    return Sample(
        (
            *scale_and_zero(first.dtype, 1, 2),
            Operand(TensorType(dtype, (n, k) if flags["transB"] else (k, n))),
            *scale_and_zero(dtype, 1, 2),
            Operand(TensorType("int32", (n,)), (-9, 9)),
            *scale_and_zero(first.dtype, 3, 31),
        ),
        {**flags, "alpha": rng.choice((1.0, 1.0, 2.0))},
    )


def _unpacked(packed: Term, bits: int) -> Term:
    """The last dimension of bytes as numbers of some bits, the low bits first."""
    mask, places = packed.constant(np.uint8(2**bits - 1)), range(0, 8, bits)
    parts = [packed.then("BitShift", place, direction="RIGHT") if place else packed for place in places]
    numbers = concat(packed.rank, *(part.then("BitwiseAnd", mask).unsqueeze(packed.rank) for part in parts))
    return numbers.reshape(*packed.shape[:-1], packed.shape[-1] * len(places))


def _blockwise_product(x: Term, packed: Term, scales: Term, *rest: Any) -> Term:
    """By weights of ``bits`` bits, which have a scale and perhaps a zero point for each block of a column."""
    *zeros, a = rest
    columns, blocks, _ = packed.shape
    zero: Term | float = 2.0 ** (a["bits"] - 1)
    if zeros:
        zero = _unpacked(zeros[0], a["bits"]).slice(1, 0, blocks).to(x.dtype).unsqueeze(2)
    weights = (_unpacked(packed, a["bits"]).to(x.dtype) - zero) * scales.unsqueeze(2)
    return x @ weights.reshape(columns, blocks * a["block_size"]).slice(1, 0, a["K"]).permute(1, 0)


def _fits_blocks(s: Sequence[Dims], a: Any) -> bool:
    blocks = -(-a.K // a.block_size)
    shapes = (a.N, blocks, a.block_size * a.bits // 8), (a.N, blocks), (a.N, -(-blocks * a.bits // 8))
    return s[0][-1:] == (a.K,) and all(given == wanted for given, wanted in zip(s[1:], shapes, strict=False))


@sampling.of_rank(2)
def _sample_blockwise_product(rng: random.Random, first: TensorType) -> Sample:
    k, n, bits, size = first.shape[-1], sampling.size(rng), rng.choice((4, 4, 8)), rng.choice((16, 32))
    blocks = -(-k // size)
    operands = [
        Operand(TensorType("uint8", (n, blocks, size * bits // 8)), (0, 255)),
        Operand(TensorType(first.dtype, (n, blocks))),
        Operand(TensorType("uint8", (n, -(-blocks * bits // 8))), (0, 255)),
    ]
    return Sample(tuple(operands[: rng.choice((2, 3))]), {"K": k, "N": n, "bits": bits, "block_size": size})


_POOL = attributes(kernel_shape="ints", strides="ints", pads="ints", ceil_mode=0)

_CHANNELS = attributes(channels_last=0)

OPS = (
    _binary("QLinearAdd", lambda x, y: x + y),
    _binary("QLinearMul", lambda x, y: x * y),
    _bytewise(
        "QLinearWhere",
        _selected,
        _sample_selected,
        "CBSBBSBSB",
        types={"C": ("bool",), "B": BYTES, "S": ("float32",)},
        shape=lambda s, a: [s[0].broadcast(s[1]).broadcast(s[4])],
    ),
    _unary(
        "QLinearLeakyRelu",
        lambda x, a: x.then("LeakyRelu", alpha=a["alpha"]),
        sampling.choosing(alpha=(0.01, 0.5, 0.25)),
        attrs=attributes(alpha=0.01),
    ),
    _unary("QLinearSigmoid", lambda x, a: x.then("Sigmoid")),
    _unary(
        "QLinearAveragePool",
        partial(_channels_first, _average),
        sampling.of_rank(3, 5)(sampling.alone_with(_draw_average)),
        attrs=(*_POOL, *attributes(count_include_pad=0), *_CHANNELS),
        data_inputs=1,
        normal=normal_average,
    ),
    _unary(
        "QLinearGlobalAveragePool",
        partial(_channels_first, lambda x, a: x.then("GlobalAveragePool")),
        sampling.of_rank(3, 5)(sampling.choosing(channels_last=(0, 1))),
        attrs=_CHANNELS,
        data_inputs=1,
    ),
    own(
        "NhwcMaxPool",
        partial(_channels_first, lambda x, a: x.then("MaxPool", **a)),
        sampling.of_rank(3, 5)(sampling.alone_with(_draw_max)),
        dtypes=BYTES,
        attrs=(*_POOL, *attributes(dilations="ints")),
        integer_exact=True,
        normal=lambda a, x: normal_window(a, x[0].shape[1:-1], a["kernel_shape"]),
    ),
    own(
        "DynamicQuantizeMatMul",
        _dynamic_product,
        _sample_dynamic_product,
        inputs=("T", "B", "T", "B", "T"),
        types={"T": ("float32",), "B": BYTES},
        shape=_matmul_shape(_fits_columns(2, 4)),
        **facts(min_inputs=4, continuous=False, data_inputs=1),
    ),
    own(
        "MatMulIntegerToFloat",
        _integer_product,
        _sample_integer_product,
        inputs=("A", "B", "S", "S", "A", "B", "S"),
        types={"A": BYTES, "B": BYTES, "S": ("float32",)},
        results=("S",),
        shape=_matmul_shape(_fits_columns(3, 6)),
        requires=lambda types, a: types[0].dtype == "uint8" or types[1].dtype == "int8",
        **facts(min_inputs=4, data_inputs=1),
    ),
    own(
        "QGemm",
        _quantized_gemm,
        _sample_quantized_gemm,
        inputs=("A", "S", "A", "B", "S", "B", "I", "S", "A"),
        types={"A": BYTES, "B": BYTES, "S": ("float32",), "I": ("int32",)},
        results=("A",),
        attrs=attributes(alpha=1.0, transA=0, transB=0),
        requires=lambda types, a: types[0].dtype == "uint8" or types[3].dtype == "int8",
        error=in_single(f"{CONTRIB}.QGemm"),
        why_not_derived=IN_SINGLE,
        **facts(continuous=False, data_inputs=1),
    ),
    own(
        "MatMulNBits",
        _blockwise_product,
        _sample_blockwise_product,
        inputs=("T", "Q", "T", "Q"),
        types={"T": ("float32",), "Q": ("uint8",)},
        shape=fitting(_fits_blocks, lambda s, a: [s[0].batch(1).append(a.N)]),
        attrs=(*(Attr(name, "int") for name in ("K", "N", "block_size")), Attr("bits", "int", 4)),
        requires=lambda types, a: a["bits"] in (2, 4, 8) and a["block_size"] in (16, 32, 64, 128, 256),
        **facts(min_inputs=3, data_inputs=1),
    ),
)
