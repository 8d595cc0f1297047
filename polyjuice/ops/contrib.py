"""ONNX Runtime's own operators (the domain ``com.microsoft``) on floating numbers, defined by ONNX's operators.

They are products and convolutions with an activation, normalizations, attention, and a few others. Other compilers get
the definitions.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import sampling
from polyjuice.ops.attention import attention, rotated
from polyjuice.ops.convolution import CONV_ATTRS, normal_transpose
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.inference import infer
from polyjuice.ops.matrix import matmul_shape, sample_matrices
from polyjuice.ops.pointwise import composed, defined, parameters
from polyjuice.ops.registry import TABLE
from polyjuice.ops.shapes import Dims, fitting, require
from polyjuice.ops.spec import Attr, Op, Operand, Sample, SampleFn, attributes, facts
from polyjuice.ops.windows import normal_conv

SINGLE = ("float32",)


def own(name: str, definition: Callable[..., Term], sample: SampleFn, operands: int = 1, **more: Any) -> Op:
    """An operator of ONNX Runtime, which all frameworks write by its definition."""
    settings: dict[str, Any] = {"dtypes": SINGLE, **more}
    return composed(f"com.microsoft.{name}", definition, {}, sample, operands=operands, **settings)


def sampled_as(name: str) -> SampleFn:
    """Draws as ONNX's operator of that name does."""
    return lambda rng, first: TABLE["", name].sample(rng, first)


def _with(sample: Sample | None, *operands: Operand, **attrs: Any) -> Sample | None:
    return sample and Sample((*sample.operands, *operands), {**sample.attrs, **attrs})


# --- products --------------------------------------------------------------------------------------------------------


def _arranged(x: Term, transposed: int, batches: int) -> Term:
    """The rows from the front to behind the batches, and then the last two dimensions exchanged."""
    order = [*range(x.rank)]
    if batches:
        order = [*order[1:-1], 0, *order[-1:]]
    if transposed:
        order[-2:] = order[:-3:-1]
    return x.permute(*order)


def _scaled(x: Term, factor: float) -> Term:
    return x if factor == 1 else x * factor


def _fused_matmul(x: Term, y: Term, a: Attrs) -> Term:
    left = _arranged(x, a["transA"], a.get("transBatchA", 0))
    return _scaled(left @ _arranged(y, a["transB"], a.get("transBatchB", 0)), a["alpha"])


def _are_matrices(types: Sequence[TensorType], a: Attrs) -> bool:
    ranks = [t.rank for t in types]
    batches = a.get("transBatchA") or a.get("transBatchB")
    return ranks[0] == ranks[1] > 2 if batches else min(ranks) > 1


def _sample_fused_matmul(*flags: str) -> SampleFn:
    """With ``flags``, the batches may come between rows and columns."""

    @sampling.of_rank(2, 4)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        attrs = {flag: int(first.rank > 2 and rng.random() < 0.2) for flag in flags}
        attrs |= {"transA": rng.randint(0, 1), "transB": rng.randint(0, 1)}
        *batch, m, k = first.shape
        if attrs.get("transBatchA"):
            (m, *batch), k = first.shape[:-1], first.shape[-1]
        k = m if attrs["transA"] else k
        if not any(attrs[flag] for flag in flags) and rng.random() < 0.4:
            batch = []
        rows, columns = (k, sampling.size(rng, (k,)))[:: -1 if attrs["transB"] else 1]
        shape = (rows, *batch, columns) if attrs.get("transBatchB") else (*batch, rows, columns)
        return sampling.operands(first, shape, **attrs, alpha=rng.choice((1.0, 1.0, 2.0, 0.5, -0.3)))

    return sample


_ACTIVATIONS: dict[str, tuple[tuple[str, float], ...]] = {
    "Relu": (),
    "Tanh": (),
    "Sigmoid": (),
    "LeakyRelu": (("alpha", 0.3),),
    "HardSigmoid": (("alpha", 0.25), ("beta", 0.5)),
}
"""The activations that both fused operators know, with values of their parameters."""


def _activated(x: Term, activation: str, parameters: Sequence[float]) -> Term:
    return x.then(activation, **{name: parameters[i] for i, (name, _) in enumerate(_ACTIVATIONS[activation])})


def _fused_gemm(x: Term, y: Term, *rest: Any) -> Term:
    *bias, a = rest
    product = x.then("Gemm", y, *bias, **{name: a[name] for name in ("alpha", "beta", "transA", "transB")})
    return _activated(product, a["activation"], [a["activation_alpha"], a["activation_beta"]])


def _sample_fused_gemm(rng: random.Random, first: TensorType) -> Sample | None:
    activation = rng.choice(list(_ACTIVATIONS))
    values = {f"activation_{name}": value for name, value in _ACTIVATIONS[activation]}
    return _with(sampled_as("Gemm")(rng, first), activation=activation, **values)


def _fused_conv(x: Term, weights: Term, *rest: Any) -> Term:
    *others, a = rest
    result = x.then("Conv", weights, *others[:1], **{attr.name: a[attr.name] for attr in CONV_ATTRS})
    for addend in others[1:]:
        require(addend.shape == result.shape)
        result = result + addend
    return _activated(result, a["activation"], a["activation_params"])


def _sample_fused_conv(rng: random.Random, first: TensorType) -> Sample | None:
    activation = rng.choice(list(_ACTIVATIONS))
    values = tuple(value for _, value in _ACTIVATIONS[activation])
    drawn = sampled_as("Conv")(rng, first)
    types = [first, *(operand.type for operand in drawn.operands)] if drawn else []
    addend = map(Operand, infer(TABLE["", "Conv"], types, drawn.attrs)) if drawn and len(types) > 2 else ()
    return _with(drawn, *(addend if rng.random() < 0.5 else ()), activation=activation, activation_params=values)


def _fits_activation(types: Sequence[TensorType], a: Attrs) -> bool:
    needed = _ACTIVATIONS.get(a["activation"])
    return needed is not None and len(a.get("activation_params", needed)) == len(needed)


# --- activations -----------------------------------------------------------------------------------------------------


def _gelu(approximate: str) -> Callable[..., Term]:
    """Of the operand, or of its sum with a bias."""

    def definition(x: Term, *rest: Any) -> Term:
        return (x + rest[0] if len(rest) > 1 else x).then("Gelu", approximate=approximate)

    return definition


def _sample_bias(least: int) -> SampleFn:
    @sampling.of_rank(1)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        return sampling.operands(first, *[first.shape[-1:]] * rng.randint(least, 1))

    return sample


# --- normalizations --------------------------------------------------------------------------------------------------


def _mean(x: Term) -> Term:
    return x.reduce("Mean", x.rank - 1)


def _root_mean_square(x: Term, scale: Term, a: Attrs) -> Term:
    return x.then("RMSNormalization", scale, axis=-1, epsilon=a["epsilon"])


def _skip_layer(x: Term, skip: Term, scale: Term, *rest: Any) -> Term:
    *further, a = rest
    total = sum(further[1:], x + skip)
    normal = _root_mean_square(total - _mean(total), scale, a)
    return normal + further[0] if further else normal


def _skip_layer_in_one_pass(x: Term, skip: Term, scale: Term, *rest: Any) -> Term:
    *further, a = rest
    total = sum(further[1:], x + skip)
    mean = _mean(total)
    deviation = (_mean(total * total) - mean * mean + a["epsilon"]).then("Sqrt")
    normal: Term = (total - mean) / deviation * scale
    return normal + further[0] if further else normal


def _skip_rms(x: Term, skip: Term, scale: Term, *rest: Any) -> Term:
    *bias, a = rest
    return _root_mean_square(sum(bias, x + skip), scale, a)


def _sample_skip(further: int) -> SampleFn:
    @sampling.of_rank(2, 3)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        width = first.shape[-1:]
        vectors = [width] * rng.randint(1, 1 + further)
        return sampling.operands(first, first.shape, *vectors, epsilon=rng.choice((1e-5, 1e-3)))

    return sample


def _gated_rms(x: Term, scale: Term, gate: Term, a: Attrs) -> Term:
    """Of groups as long as ``scale``, times a function of the gate."""
    width = scale.shape[0]
    groups = x.reshape(*x.shape[:-1], x.shape[-1] // width, width)
    gated = gate.then("Sigmoid") if a["activation"] == "sigmoid" else gate.then("Swish", alpha=1.0)
    return _root_mean_square(groups, scale, a).reshape(*x.shape) * gated


@sampling.of_rank(1)
def _sample_gated_rms(rng: random.Random, first: TensorType) -> Sample:
    width = rng.choice(sampling.factors(first.shape[-1]))
    activation = rng.choice(("silu", "sigmoid"))
    return sampling.operands(first, (width,), first.shape, activation=activation, epsilon=1e-5)


# --- attention -------------------------------------------------------------------------------------------------------


def _attention(query: Term, key: Term, value: Term, a: Attrs) -> Term:
    heads = dict.fromkeys(("q_num_heads", "kv_num_heads"), a["num_heads"])
    scale = a["scale"] or None
    return attention(query, key, value, {**heads, "scale": scale, "softcap": 0.0, "is_causal": a["unidirectional"]})


def _multi_head(query: Term, key: Term, value: Term, *rest: Any) -> Term:
    *bias, a = rest
    if bias:
        ends = np.cumsum([0, query.shape[2], key.shape[2], value.shape[2]]).tolist()
        parts = [bias[0].slice(0, start, end) for start, end in itertools.pairwise(ends)]
        query, key, value = (x + part for x, part in zip((query, key, value), parts, strict=True))
    return _attention(query, key, value, a)


def _fits_multi_head(s: Sequence[Dims], a: Any) -> bool:
    query, key, value, *bias = s
    fits = len(query) == len(key) == len(value) == 3 and key == (query[0], value[1], query[2])
    fits = fits and query[0] == value[0] and query[2] % a.num_heads == value[2] % a.num_heads == 0
    return fits and all(vector == (2 * query[2] + value[2],) for vector in bias)


def _draw_attention(rng: random.Random, width: int) -> dict[str, Any]:
    heads, scale = rng.choice(sampling.factors(width)), rng.choice((0.0, 0.0, 0.5, 0.125))
    return {"num_heads": heads, "scale": scale, "unidirectional": int(rng.random() < 0.3)}


@sampling.of_rank(3, 3)
def _sample_multi_head(rng: random.Random, first: TensorType) -> Sample:
    batch, length, width = first.shape
    attrs = _draw_attention(rng, width)
    keys = length if attrs["unidirectional"] else sampling.size(rng, (length,))
    values = width if rng.random() < 0.7 else attrs["num_heads"] * rng.choice((1, 2, 3, 8))
    bias = [(2 * width + values,)] if rng.random() < 0.4 else []
    return sampling.operands(first, (batch, keys, width), (batch, keys, values), *bias, **attrs)


def _self_attention(x: Term, weights: Term, bias: Term, a: Attrs) -> Term:
    projected, width = x @ weights + bias, weights.shape[1] // 3
    query, key, value = (projected.slice(2, i * width, (i + 1) * width) for i in range(3))
    return _attention(query, key, value, a)


def _fits_attention(s: Sequence[Dims], a: Any) -> bool:
    x, weights, bias = s
    fits = len(x) == 3 and len(weights) == 2 and x[2] == weights[0] and bias == weights[1:]
    return fits and weights[1] % (3 * a.num_heads) == 0


@sampling.of_rank(3, 3)
def _sample_self_attention(rng: random.Random, first: TensorType) -> Sample:
    width = rng.choice((2, 4, 6, 8, 12, 16))
    return sampling.operands(first, (first.shape[2], 3 * width), (3 * width,), **_draw_attention(rng, width))


def _rotary(x: Term, places: Term, cosines: Term, sines: Term, a: Attrs) -> Term:
    """Of one place, those behind it follow."""
    if places.rank == 1:
        places = (places + places.constant(np.arange(x.shape[2]))).unsqueeze(0)
    return rotated(x, cosines, sines, places, {**a, "num_heads": 0, "rotary_embedding_dim": 0})


def _fits_rotary(s: Sequence[Dims], a: Any) -> bool:
    """The tables are as wide as half of a head."""
    x, places, *tables = s
    fits = len(x) == 4 and places in ((1,), (x[0], x[2])) and tables[0] == tables[1]
    return fits and len(tables[0]) == 2 and 2 * tables[0][1] == x[3]


@sampling.of_rank(4, 4)
def _sample_rotary(rng: random.Random, first: TensorType) -> Sample | None:
    batch, _, length, size = first.shape
    if size % 2:
        return None
    count = length + rng.randint(0, 3)
    one = rng.random() < 0.3
    places = Operand(TensorType("int64", (1,) if one else (batch, length)), (0, count - length if one else count - 1))
    tables = (Operand(TensorType(first.dtype, (count, size // 2))),) * 2
    return Sample((places, *tables), {"interleaved": rng.randint(0, 1)})


# --- others ----------------------------------------------------------------------------------------------------------


def _distances(x: Term, y: Term, a: Attrs) -> Term:
    difference = x.unsqueeze(1) - y.unsqueeze(0)
    return _metric((difference * difference).reduce("Sum", 2, keepdims=False), a)


def _distances_by_product(x: Term, y: Term, a: Attrs) -> Term:
    squares = (x * x).reduce("Sum", 1) + (y * y).reduce("Sum", 1).permute(1, 0)
    return _metric((squares - (x @ y.permute(1, 0)) * 2).then("Max", 0.0), a)


def _metric(squares: Term, a: Attrs) -> Term:
    return squares.then("Sqrt") if a["metric"] == "euclidean" else squares


@sampling.of_rank(2, 2)
def _sample_distances(rng: random.Random, first: TensorType) -> Sample:
    metric = rng.choice(("sqeuclidean", "euclidean"))
    return sampling.operands(first, (sampling.size(rng, first.shape), first.shape[1]), metric=metric)


def _deconvolution(x: Term, weights: Term, *rest: Any) -> Term:
    *bias, a = rest
    return x.then("ConvTranspose", weights, *bias, **a)


def _sample_unfold(rng: random.Random, first: TensorType) -> Sample | None:
    drawn = TABLE["aten", "unfold"].sample(rng, first)
    return drawn and Sample((), {"dim": drawn.attrs["dimension"], **{k: drawn.attrs[k] for k in ("size", "step")}})


_PRODUCT = attributes(alpha=1.0, transA=0, transB=0)

_ACTIVATION = (Attr("activation", "string"),)

_ATTENTION = attributes(num_heads="int", scale=0.0, unidirectional=0)

_VECTORS = fitting(lambda s, a: all(len(vector) == 1 and vector == s[0][-1:] for vector in s[1:]))

_SKIPPED: dict[str, Any] = {
    "dtypes": ("float32", "float16"),
    "shape": fitting(lambda s, a: 1 < len(s[0]) < 4 and s[1] == s[0] and all(p == s[0][-1:] for p in s[2:])),
    "attrs": attributes(epsilon=1e-12),
}

OPS = (
    own(
        "FusedMatMul",
        _fused_matmul,
        _sample_fused_matmul("transBatchA", "transBatchB"),
        2,
        dtypes=("float32", "float64"),
        attrs=(*_PRODUCT, *attributes(transBatchA=0, transBatchB=0)),
        requires=_are_matrices,
        weight=0.6,
    ),
    own(
        "TransposeMatMul",
        _fused_matmul,
        _sample_fused_matmul(),
        2,
        attrs=_PRODUCT,
        requires=_are_matrices,
        weight=0.1,
    ),
    own(
        "FusedGemm",
        _fused_gemm,
        _sample_fused_gemm,
        3,
        attrs=(
            *attributes(alpha=1.0, beta=1.0, transA=0, transB=0),
            *_ACTIVATION,
            *attributes(activation_alpha=0.0, activation_beta=0.0),
        ),
        requires=_fits_activation,
        min_inputs=2,
    ),
    own(
        "FusedConv",
        _fused_conv,
        _sample_fused_conv,
        4,
        attrs=(*CONV_ATTRS, *_ACTIVATION, Attr("activation_params", "floats", ())),
        requires=_fits_activation,
        normal=normal_conv,
        **facts(min_inputs=2, data_inputs=1, weight=0.6),
    ),
    defined("com.microsoft.Gelu", _gelu("none"), {}, SINGLE),
    own("BiasGelu", _gelu("none"), _sample_bias(1), 2, shape=_VECTORS),
    own("FastGelu", _gelu("tanh"), _sample_bias(0), 2, shape=_VECTORS, min_inputs=1),
    defined(
        "com.microsoft.QuickGelu",
        lambda x, a: x.then("Swish", alpha=a["alpha"]),
        {},
        SINGLE,
        **parameters((("alpha", 1.702, (1.702, 1.702, 1.0, -0.5)),)),
    ),
    defined(
        "com.microsoft.ScaledSiLU",
        lambda x, a: _scaled(x, a["alpha"]).then("Swish", alpha=1.0),
        {},
        SINGLE,
        **parameters((("alpha", 1.0, (1.0, 0.5, -2.0)),)),
    ),
    own(
        "SkipLayerNormalization",
        _skip_layer,
        _sample_skip(2),
        5,
        algorithms=(onnx_term(_skip_layer_in_one_pass),),
        **_SKIPPED,
        **facts(min_inputs=3, data_inputs=2, weight=0.5),
    ),
    own(
        "SkipSimplifiedLayerNormalization",
        _skip_rms,
        _sample_skip(1),
        4,
        **_SKIPPED,
        **facts(min_inputs=3, data_inputs=2, weight=0.5),
    ),
    own(
        "GatedRMSNorm",
        _gated_rms,
        _sample_gated_rms,
        3,
        shape=fitting(lambda s, a: s[2] == s[0] and len(s[1]) == 1 and s[0][-1] % s[1][0] == 0),
        attrs=attributes(activation="silu", epsilon=1e-5),
    ),
    own(
        "MultiHeadAttention",
        _multi_head,
        _sample_multi_head,
        4,
        shape=fitting(_fits_multi_head, lambda s, a: [s[0].replace(2, s[2][2])]),
        attrs=_ATTENTION,
        **facts(min_inputs=3, weight=0.5),
    ),
    own(
        "Attention",
        _self_attention,
        _sample_self_attention,
        3,
        shape=fitting(_fits_attention, lambda s, a: [s[0].replace(2, s[1][1] // 3)]),
        attrs=_ATTENTION,
        data_inputs=1,
    ),
    own(
        "RotaryEmbedding",
        _rotary,
        _sample_rotary,
        inputs=("T", "I", "T", "T"),
        types={"T": SINGLE, "I": ("int64",)},
        shape=fitting(_fits_rotary),
        attrs=attributes(interleaved=0),
    ),
    own(
        "CDist",
        _distances,
        _sample_distances,
        2,
        dtypes=("float32", "float64"),
        shape=fitting(
            lambda s, a: len(s[0]) == len(s[1]) == 2 and s[0][1] == s[1][1], lambda s, a: [s[0].replace(1, s[1][0])]
        ),
        algorithms=(onnx_term(_distances_by_product),),
        attrs=attributes(metric="sqeuclidean"),
        requires=lambda types, a: a["metric"] in ("sqeuclidean", "euclidean"),
    ),
    own(
        "ConvTransposeWithDynamicPads",
        _deconvolution,
        sampled_as("ConvTranspose"),
        3,
        attrs=(
            Attr("strides", "ints"),
            Attr("pads", "ints", as_input=True, place=2),
            *attributes(output_padding="ints", dilations="ints", group=1),
        ),
        normal=normal_transpose,
        **facts(min_inputs=2, data_inputs=1),
    ),
    own(
        "UnfoldTensor",
        lambda x, a: x.then("unfold", domain="aten", dimension=a["dim"], size=a["size"], step=a["step"]),
        _sample_unfold,
        dtypes=("float32", "float64", "int32", "int64"),
        attrs=(Attr("dim", "int", -1), Attr("size", "int"), Attr("step", "int", 1)),
        moves=True,
    ),
    own(
        "MatMulInteger16",
        lambda x, y, a: x.to("int32") @ y.to("int32"),
        sample_matrices,
        2,
        shape=fitting(lambda s, a: min(map(len, s)) > 1, matmul_shape),
        dtypes=("int16",),
        results=("int32",),
        modular=True,
    ),
    own(
        "GatedAdd",
        lambda x, y, gate, a: x + y * gate,
        sampling.of_rank(1)(lambda rng, first: sampling.operands(first, first.shape, (*first.shape[:-1], 1))),
        3,
        shape=fitting(lambda s, a: len(s[0]) > 0 and s[1] == s[0] and s[2] == (*s[0][:-1], 1)),
    ),
    own(
        "LinearAttentionGate",
        lambda x, bias, scale, a: scale * (x + bias).then("Softplus"),
        sampling.of_rank(3, 3)(lambda rng, first: sampling.operands(first, *[first.shape[-1:]] * 2)),
        3,
        shape=_VECTORS,
        data_inputs=1,
    ),
)
