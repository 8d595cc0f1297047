"""Matrix products and convolutions of 8-bit integers: QLinearMatMul, QLinearConv and ConvInteger."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from polyjuice.ir import TensorType
from polyjuice.ops import sampling, windows
from polyjuice.ops.convolution import CONV_ATTRS
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.matrix import integer_product, matmul_shape
from polyjuice.ops.quantization import (
    BYTES,
    IN_SINGLE,
    in_single,
    is_single,
    number,
    quantized,
    scale_and_zero,
    zero_points,
)
from polyjuice.ops.shapes import fitting
from polyjuice.ops.spec import Op, Operand, Sample, SampleFn, by_definition, facts
from polyjuice.ops.windows import normal_conv


def _conv_integer(*operands: Any) -> Term:
    """In double precision, which holds all sums of products of bytes."""
    x, w, *zeros, a = operands
    wide = [t.to("float64") for t in (x, w)]
    for i, zero in enumerate(zeros):
        wide[i] = wide[i] - zero.to("float64")
    product: Term = wide[0].then("Conv", wide[1], **a)
    return product.to("int32")


def _qlinear(name: str, product: Callable[..., Term], sample: SampleFn, inputs: str, **more: Any) -> Op:
    """A product of bytes, each of which has a scale and a zero point, as the result has."""

    def definition(*operands: Any) -> Term:
        x, x_scale, x_zero, y, y_scale, y_zero, scale, zero, *bias, a = operands
        total = product(x, y, x_zero, y_zero, a)
        for line in bias:
            total = total + line.reshape(-1, *[1] * (x.rank - 2))
        return quantized(total.to(scale.dtype) * (x_scale * y_scale), scale, zero)

    return Op(
        name=name,
        inputs=tuple(inputs),
        types={"A": BYTES, "B": BYTES, "Y": BYTES, "S": ("float32",), "I": ("int32",)},
        results=("Y",),
        definition=onnx_term(definition, widen=False),
        error=in_single(name),
        why_not_derived=IN_SINGLE,
        requires=lambda types, a: (
            all(is_single(types[i].shape) for i in (1, 2, 4, 5, 6, 7))
            and all(bias.shape == types[3].shape[:1] for bias in types[8:])
        ),
        sample=sample,
        continuous=False,
        **more,
    )


def _operands(second: TensorType, first: str) -> tuple[Operand, ...]:
    """All operands but the first; the result's scale keeps it from its limits."""
    return (
        *scale_and_zero(first, 1, 2),
        Operand(second),
        *scale_and_zero(second.dtype, 1, 2),
        *scale_and_zero(first, 3, 31),
    )


def _second_type(rng: random.Random, first: str) -> str:
    """A second type that libraries multiply by the first: unsigned by either, signed by signed."""
    return rng.choice(BYTES) if first == "uint8" else "int8"


@sampling.of_rank(2)
def _sample_qmatmul(rng: random.Random, first: TensorType) -> Sample:
    batch = rng.choice(((), first.shape[:-2]))
    second = TensorType(_second_type(rng, first.dtype), (*batch, first.shape[-1], sampling.size(rng)))
    return Sample(_operands(second, first.dtype))


def _draw_conv(rng: random.Random, first: TensorType) -> tuple[TensorType, dict[str, Any]] | None:
    if not windows.has_windows(first):
        return None
    channels = first.shape[1]
    groups = rng.choice(sampling.factors(channels)) if rng.random() < 0.3 else 1
    window: dict[str, Any] = dict(windows.draw_window(rng, first.shape[2:], dilate=True))
    kernel = window.pop("kernel_shape")
    shape = (groups * rng.choice((1, 2, 3)), channels // groups, *kernel)
    return TensorType(_second_type(rng, first.dtype), shape), {**window, "group": groups}


def _sample_qconv(rng: random.Random, first: TensorType) -> Sample | None:
    drawn = _draw_conv(rng, first)
    if drawn is None:
        return None
    operands = _operands(drawn[0], first.dtype)
    if rng.random() < 0.4:
        operands = (*operands, Operand(TensorType("int32", drawn[0].shape[:1]), (-9, 9)))
    return Sample(operands, drawn[1])


def _sample_conv_integer(rng: random.Random, first: TensorType) -> Sample | None:
    drawn = _draw_conv(rng, first)
    if drawn is None:
        return None
    types = (first.dtype, drawn[0].dtype)[: rng.choice((0, 1, 2, 2))]
    zeros = (number(dtype, zero_points(dtype)) for dtype in types)
    return Sample((Operand(drawn[0]), *zeros), drawn[1])


OPS: tuple[Op, ...] = (
    _qlinear(
        "QLinearMatMul",
        lambda x, y, x_zero, y_zero, a: x.then("MatMulInteger", y, x_zero, y_zero),
        _sample_qmatmul,
        "ASABSBSY",
        shape=fitting(lambda s, a: min(len(s[0]), len(s[3])) > 1, lambda s, a: matmul_shape((s[0], s[3]), a)),
        weight=0.3,
    ),
    _qlinear(
        "QLinearConv",
        lambda x, y, x_zero, y_zero, a: x.then("ConvInteger", y, x_zero, y_zero, **a),
        _sample_qconv,
        "ASABSBSYI",
        attrs=CONV_ATTRS,
        normal=lambda a, x: normal_conv(a, [x[0], x[3]]),
        **facts(min_inputs=8, weight=2, data_inputs=1),
    ),
    integer_product(
        "ConvInteger",
        definition=onnx_term(_conv_integer, widen=False),
        partial=by_definition,
        requires=lambda types, a: all(is_single(t.shape) for t in types[2:]),
        sample=_sample_conv_integer,
        attrs=CONV_ATTRS,
        normal=normal_conv,
        **facts(weight=3, data_inputs=1),
    ),
)
