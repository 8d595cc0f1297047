"""ATen's products of matrices and vectors."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling, spec
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.matrix import factors, matmul_shape, scaled_sum
from polyjuice.ops.shapes import Dims, fitting, require
from polyjuice.ops.spec import Builder, Call, Op, Operand, Sample, Texts, attributes, by_definition
from polyjuice.ops.text import literal, spell


def op(
    name: str,
    arity: int,
    shape: spec.ShapeFn,
    definition: spec.DecomposeFn,
    text: Mapping[str, Texts],
    sample: spec.SampleFn,
    **more: Any,
) -> Op:
    """The entry of a sum of products, which is exact on integers."""
    return Op(
        name=name,
        inputs=("T",) * arity,
        shape=shape,
        definition=definition,
        partial=by_definition,
        text=text,
        sample=sample,
        integer_exact=True,
        **{"types": {"T": WIDE}, "modular": True, **more},
    )


def _check_fused(name: str, ranks: tuple[int, int], s: Sequence[Dims], out: Dims) -> None:
    require((len(s[1]), len(s[2])) == ranks)
    require(name == "addr" or matmul_shape(s[1:], None) == [out])
    require((ranks != (3, 3) or s[1][0] == s[2][0]) and s[0].broadcast(out) == out)


def _fused(name: str, ranks: tuple[int, int], form: str, sample: spec.SampleFn) -> Op:
    """The entry of beta * bias + alpha * (product of the second and third operand)."""

    def shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
        out = s[1].append(s[2][0]) if name == "addr" else s[1].batch(1).append(s[2][-1])
        out = s[1].batch(1) if name == "addmv" else out
        if isinstance(out, Dims):
            _check_fused(name, ranks, s, out)
        return [out]

    def fused(c: Call) -> str:
        t = c.types[0].dtype
        alpha, beta = literal(c.attrs["alpha"], t), literal(c.attrs["beta"], t)
        call = c.draws.choice((f"torch.{name}({c.x[0]}, ", f"{c.x[0]}.expand({c.results[0].shape}).{name}("))
        called = f"{call}{c.x[1]}, {c.x[2]}, beta={beta}, alpha={alpha})"
        composed = f"{beta} * {c.x[0]} + {alpha} * {form.format(*c.x)}"
        return composed if c.draws.chance(0.2) else called

    def definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
        left, right = x[1:]
        if name == "addr":
            left, right = b.op("Unsqueeze", left, axes=(1,)), b.op("Unsqueeze", right, axes=(0,))
        return scaled_sum(b, b.op("MatMul", left, right), x[0], a)

    return op(name, 3, shape, definition, spell(fused), sample, attrs=attributes(beta=1.0, alpha=1.0))


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
        return sampling.operands(first, *shapes, **factors(rng, first.dtype))

    return sample


def _sample_vectors(same: bool) -> spec.SampleFn:
    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        if first.rank != 1:
            return None
        return Sample((Operand(first if same else TensorType(first.dtype, (sampling.size(rng),))),))

    return sample


def _trace_torch(c: Call) -> str:
    """ATen sums integers in 64 bits."""
    t = c.types[0].dtype
    forms = [f"torch.trace({c.x[0]})", f"torch.diagonal({c.x[0]}).sum()", f"{c.x[0]}.diag().sum()"]
    return c.draws.choice(forms) + ("" if t in FLOATS else f".to(torch.{t})")


def _trace_definition(b: Builder, x: Sequence[str], a: Attrs) -> str:
    t = b.types[x[0]]
    eye = b.constant(np.eye(*t.shape, dtype=bool))
    zero = b.constant(np.zeros((), dtypes.to_numpy(t.dtype)))
    return b.op("ReduceSum", b.op("Where", eye, x[0], zero), axes=(0, 1), keepdims=0)


OPS = (
    _fused("addmm", (2, 2), "({1} @ {2})", _sample_fused(2)),
    _fused("baddbmm", (3, 3), "torch.bmm({1}, {2})", _sample_fused(3)),
    _fused("addmv", (2, 1), "torch.mv({1}, {2})", _sample_fused(1, True)),
    _fused("addr", (1, 1), "torch.outer({1}, {2})", _sample_fused(2, outer=True)),
    op(
        "outer",
        2,
        fitting(lambda s, a: len(s[0]) == len(s[1]) == 1, lambda s, a: [s[0].append(s[1][0])]),
        lambda b, x, a: b.op("Mul", b.op("Unsqueeze", x[0], axes=(1,)), b.op("Unsqueeze", x[1], axes=(0,))),
        spell(
            ("torch.outer({0}, {1})", "torch.ger({0}, {1})", "{0}.outer({1})", "{0}[:, None] * {1}"),
            tf=(
                "tf.tensordot({0}, {1}, axes=0)",
                "{0}[:, tf.newaxis] * {1}[tf.newaxis, :]",
                "tf.expand_dims({0}, 1) * {1}",
            ),
            jax="jnp.outer",
        ),
        _sample_vectors(False),
    ),
    op(
        "dot",
        2,
        fitting(lambda s, a: len(s[0]) == 1 and s[0] == s[1], lambda s, a: [s[0].batch(1)]),
        lambda b, x, a: b.op("MatMul", x[0], x[1]),
        spell(
            ("torch.dot({0}, {1})", "torch.vdot({0}, {1})", "torch.inner({0}, {1})", "{0}.dot({1})"),
            tf=("tf.tensordot({0}, {1}, axes=1)", "tf.reduce_sum({0} * {1})"),
            jax="jnp.dot",
        ),
        _sample_vectors(True),
    ),
    op(
        "trace",
        1,
        fitting(lambda s, a: len(s[0]) == 2, lambda s, a: [s[0].batch(2)]),
        _trace_definition,
        spell(_trace_torch, tf=("tf.linalg.trace({0})", "tf.reduce_sum(tf.linalg.diag_part({0}))")),
        lambda rng, first: Sample() if first.rank == 2 and 0 not in first.shape else None,
        modular=False,  # ONNX sums by ReduceSum, and ONNX Runtime there in floating types
    ),
)
