"""ATen's products of matrices and vectors."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling, spec
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.decomposition_terms import Term, where
from polyjuice.ops.matrix import factors, matmul_shape, scaled_sum
from polyjuice.ops.pointwise import composed
from polyjuice.ops.shapes import Dims, fitting, require
from polyjuice.ops.spec import Call, Op, Operand, Sample, Texts, attributes, by_definition
from polyjuice.ops.text import spell


def op(
    name: str,
    definition: Callable[..., Term],
    text: Mapping[str, Texts],
    sample: spec.SampleFn,
    shape: spec.ShapeFn = by_definition,
    operands: int = 2,
    **more: Any,
) -> Op:
    """The entry of a sum of products, which is exact on integers."""
    settings = {"shape": shape, "modular": True, "integer_exact": True, "partial": by_definition, **more}
    return composed(name, definition, text, sample, WIDE, operands, widen=False, **settings)


def _check_fused(name: str, ranks: tuple[int, int], s: Sequence[Dims], out: Dims) -> None:
    require((len(s[1]), len(s[2])) == ranks)
    require(name == "addr" or matmul_shape(s[1:], None) == [out])
    require((ranks != (3, 3) or s[1][0] == s[2][0]) and s[0].broadcast(out) == out)


_IGNORED = 0.1
"""How often beta is 0."""


def _fused(name: str, ranks: tuple[int, int], form: str, sample: spec.SampleFn) -> Op:
    """The entry of beta * bias + alpha * (product of the second and third operand); with beta 0 the bias is ignored."""

    def shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
        out = s[1].append(s[2][0]) if name == "addr" else s[1].batch(1).append(s[2][-1])
        out = s[1].batch(1) if name == "addmv" else out
        if isinstance(out, Dims):
            _check_fused(name, ranks, s, out)
        return [out]

    def definition(bias: Term, left: Term, right: Term, a: Attrs) -> Term:
        if name == "addr":
            left, right = left.unsqueeze(1), right.unsqueeze(0)
        return scaled_sum(left @ right, bias if a["beta"] else None, a)

    arguments = "({1}, {2}, beta={beta}, alpha={alpha})"
    called = f"torch.{name}({{0}}, {arguments[1:]}", f"{{0}}.expand({{shape}}).{name}{arguments}"

    def text(c: Call) -> tuple[str, ...]:
        return (*called, *[f"{{beta}} * {{0}} + {{alpha}} * {form}"] * bool(c.attrs["beta"]))

    return op(name, definition, spell(text), sample, shape, 3, attrs=attributes(beta=1.0, alpha=1.0))


def _sample_fused(rank: int, vector: bool = False, outer: bool = False) -> spec.SampleFn:
    """Draw the factors of a product for a bias of the result's shape, or one that broadcasts to it."""

    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        if first.rank != rank or 0 in first.shape:
            return None
        shape = tuple(
            sampling.size(rng) if d == 1 and i and rng.random() < 0.5 else d for i, d in enumerate(first.shape)
        )
        k = sampling.size(rng)
        if outer:
            shapes = [shape[:1], shape[1:]]
        else:
            shapes = [(*shape, k), (k,)] if vector else [(*shape[:-1], k), (*shape[:-2], k, shape[-1])]
        ignored = {"beta": 0.0} if rng.random() < _IGNORED else {}
        return sampling.operands(first, *shapes, **{**factors(rng, first.dtype), **ignored})

    return sample


def _sample_vectors(same: bool) -> spec.SampleFn:
    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        if first.rank != 1:
            return None
        return Sample((Operand(first if same else TensorType(first.dtype, (sampling.size(rng),))),))

    return sample


_TRACES = ("torch.trace({0})", "torch.diagonal({0}).sum()", "{0}.diag().sum()")


def _trace_torch(c: Call) -> tuple[str, ...]:
    """ATen sums integers in 64 bits."""
    return _TRACES if c.types[0].dtype in FLOATS else tuple(f"{form}.to(torch.{{type}})" for form in _TRACES)


OPS = (
    _fused("addmm", (2, 2), "({1} @ {2})", _sample_fused(2)),
    _fused("baddbmm", (3, 3), "torch.bmm({1}, {2})", _sample_fused(3)),
    _fused("addmv", (2, 1), "torch.mv({1}, {2})", _sample_fused(1, True)),
    _fused("addr", (1, 1), "torch.outer({1}, {2})", _sample_fused(2, outer=True)),
    op(
        "outer",
        lambda x, y, a: x.unsqueeze(1) * y.unsqueeze(0),
        spell(
            ("torch. torch.ger .", "{0}[:, None] * {1}"),
            (
                "tf.tensordot({0}, {1}, axes=0)",
                "{0}[:, tf.newaxis] * {1}[tf.newaxis, :]",
                "tf.expand_dims({0}, 1) * {1}",
            ),
            "jnp.",
        ),
        _sample_vectors(False),
        fitting(lambda s, a: len(s[0]) == len(s[1]) == 1, lambda s, a: [s[0].append(s[1][0])]),
    ),
    op(
        "dot",
        lambda x, y, a: x @ y,
        spell(
            "torch. torch.vdot .",
            ("tf.tensordot({0}, {1}, axes=1)", "tf.reduce_sum({0} * {1})"),
            "jnp.",
        ),
        _sample_vectors(True),
        fitting(lambda s, a: len(s[0]) == 1 and s[0] == s[1], lambda s, a: [s[0].batch(1)]),
    ),
    op(
        "trace",
        lambda x, a: where(x.constant(np.eye(x.shape[0], x.shape[1], dtype=bool)), x, 0).reduce(
            "Sum", 0, 1, keepdims=False
        ),
        spell(
            _trace_torch,
            ("tf.linalg.trace({0})", "tf.reduce_sum(tf.linalg.diag_part({0}))"),
            "jnp.trace({0}, dtype=jnp.{type})",
        ),
        sampling.choosing(2, 2),
        fitting(lambda s, a: len(s[0]) == 2, lambda s, a: [s[0].batch(2)]),
        operands=1,
        modular=False,  # ONNX sums by ReduceSum, and ONNX Runtime there in floating types
    ),
)
