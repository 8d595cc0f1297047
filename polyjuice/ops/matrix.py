"""Matrix products and related operators: ONNX's MatMul, Gemm and MatMulInteger, ATen's products, determinants."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import adjoints, errors, linear_adjoints, sampling, spec
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.decomposition_terms import Term, onnx_term
from polyjuice.ops.shapes import Dims, ShapeMismatch, fitting, require
from polyjuice.ops.spec import Call, ErrorContext, Op, Operand, Sample, attributes, by_definition, facts
from polyjuice.ops.text import applied, spell


def magnitudes(numpy: spec.NumpyFn) -> spec.NumpyFn:
    """A linear operator on magnitudes, which bounds all its intermediate sums."""
    return lambda x, a: numpy([np.abs(v) for v in x], a)


def linear_error(terms: Callable[[ErrorContext], int]) -> spec.ErrorFn:
    """The error rule for sums of products, from the operator's own meaning."""
    return lambda c: errors.multilinear(c, lambda x: c.numpy(x, c.attrs), terms(c))


def product(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(np.matmul(x[0], x[1]))


# --- MatMul ----------------------------------------------------------------------------------------------------------


def matmul_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """The result shape of NumPy's matmul. The rendered form (for the e-graph) covers operands of rank 2 and more."""
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


@sampling.of_rank(1, empty=True)
def _sample_matmul(rng: random.Random, first: TensorType) -> Sample:
    n = sampling.size(rng, first.shape[-2:-1])
    if first.rank == 1:
        batch: tuple[int, ...] = ()
    else:
        batch = rng.choice(((), first.shape[:-2], tuple(1 for _ in first.shape[:-2])))
    vector = rng.random() < (0.4 if first.rank == 1 else 0.1)
    shape = (first.shape[-1],) if vector else (*batch, first.shape[-1], n)
    return sampling.operands(first, shape)


@sampling.of_rank(2)
def sample_matrices(rng: random.Random, first: TensorType) -> Sample:
    batch: tuple[int, ...] = rng.choice(((), first.shape[:-2]))
    return sampling.operands(first, (*batch, first.shape[-1], sampling.size(rng)))


def _matmul_torch(c: Call) -> tuple[str, ...]:
    ranks = (c.types[0].rank, c.types[1].rank)
    further = {(2, 2): "torch.mm", (2, 1): "torch.mv", (1, 1): "torch.dot"}
    forms = [f"torch.matmul @ .matmul {further.get(ranks, '')}"]
    if ranks == (3, 3) and c.types[0].shape[0] == c.types[1].shape[0]:
        forms += ["torch.bmm", "torch.matmul({1}.mT, {0}.mT).mT"]
    elif ranks[1] == 2:
        forms.append("F.linear({0}, {1}.t())")
    return applied(*forms, operands=2)


def _matmul_tensorflow(c: Call) -> tuple[str, ...]:
    ranks, contracted = tuple(t.rank for t in c.types), "tf.tensordot({0}, {1}, axes=1)"
    if ranks == (1, 1):
        return contracted, "tf.reduce_sum({0} * {1})"
    if ranks[1] == 1:
        return "tf.linalg.matvec({0}, {1})", contracted
    if ranks[0] == 1:
        return ("tf.linalg.matvec({1}, {0}, transpose_a=True)",)
    forms = applied(
        "tf.matmul tf.linalg.matmul @",
        "tf.matmul({0}, tf.linalg.matrix_transpose({1}), transpose_b=True)",
        "tf.matmul(tf.linalg.matrix_transpose({0}), {1}, transpose_a=True)",
        operands=2,
    )
    return (*forms, contracted) if ranks[1] == 2 else forms


# --- Gemm ------------------------------------------------------------------------------------------------------------


def _gemm(left: Term, right: Term, *rest: Any) -> Term:
    *bias, a = rest
    left, right = (t.permute(1, 0) if flip else t for t, flip in ((left, a["transA"]), (right, a["transB"])))
    return scaled_sum(left @ right, bias[0] if bias else None, a)


def scaled_sum(product: Term, bias: Term | None, a: Attrs) -> Term:
    """alpha * product + beta * bias. A negative factor wraps around in an unsigned type."""
    scaled = product if a["alpha"] == 1 else a["alpha"] * product
    if bias is None:
        return scaled
    return (bias if a["beta"] == 1 else a["beta"] * bias) + scaled


def _gemm_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    require(len(s[0]) == len(s[1]) == 2)
    (m, k), (l, n) = (d[::-1] if t else d for d, t in zip(s[:2], (a.transA, a.transB), strict=True))
    if k != l:
        raise ShapeMismatch(f"cannot multiply matrices of shapes {tuple(s[0])} and {tuple(s[1])}")
    if len(s) > 2 and s[2].broadcast(Dims((m, n))) != (m, n):
        raise ShapeMismatch(f"the bias {tuple(s[2])} does not broadcast to {(m, n)}")
    return [Dims((m, n))]


def _gemm_torch(c: Call) -> tuple[str, ...]:
    left, right = "{0}" + ".t()" * c.attrs["transA"], "{1}" + ".t()" * c.attrs["transB"]
    if len(c.x) == 2:
        return (f"torch.mm({left}, {right})" + " * {alpha}" * (c.attrs["alpha"] != 1.0),)
    forms = [
        f"torch.addmm({{2}}, {left}, {right}, beta={{beta}}, alpha={{alpha}})",
        f"{{beta}} * {{2}} + {{alpha}} * ({left} @ {right})",
    ]
    if c.attrs["alpha"] == c.attrs["beta"] == 1.0 and c.types[2].rank == 1:
        forms.append(f"F.linear({left}, {right}.t(), {{2}})")
    return tuple(forms)


def _gemm_tensorflow(c: Call) -> tuple[str, ...]:
    flags = "".join(f", transpose_{flag[-1].lower()}=True" for flag in ("transA", "transB") if c.attrs[flag])
    scaled = "{alpha} * " * (c.attrs["alpha"] != 1.0) + f"tf.matmul({{0}}, {{1}}{flags})"
    if len(c.x) == 2:
        return (scaled,)
    forms = [f"{scaled} + {'{beta} * ' * (c.attrs['beta'] != 1.0)}{{2}}"]
    if c.attrs["beta"] == 1.0 and c.types[2].shape == c.results[0].shape[1:]:
        forms.append(f"tf.nn.bias_add({scaled}, {{2}})")
    return tuple(forms)


def factors(rng: random.Random, dtype: str) -> Attrs:
    """Draw alpha and beta: mostly 1, else small integers, or for floats sometimes a fraction."""
    choices = (1.0, 1.0, 2.0, -1.0, *((0.5, 0.3) if dtype in FLOATS else (3.0,)))
    return {"alpha": rng.choice(choices), "beta": rng.choice(choices)}


@sampling.of_rank(2, 2)
def _sample_gemm(rng: random.Random, first: TensorType) -> Sample:
    flip_a, flip_b = rng.randint(0, 1), rng.randint(0, 1)
    m, k = first.shape[::-1] if flip_a else first.shape
    n = sampling.size(rng, (m, k))
    right = (n, k) if flip_b else (k, n)
    attrs = {**factors(rng, first.dtype), "transA": flip_a, "transB": flip_b}
    if rng.random() < 0.1:
        return sampling.operands(first, right, **{**attrs, "beta": 1.0})
    return sampling.operands(first, right, rng.choice(((m, n), (n,), (1, n), (m, 1))), **attrs)


# --- MatMulInteger ---------------------------------------------------------------------------------------------------

_BYTES = ("int8", "uint8")


def _matmul_integer_shape(s: Sequence[Any], a: Any) -> Sequence[Any]:
    """Zero points: one, or one for each row of a left and each column of a right matrix."""
    for zero, matrix, line in zip(s[2:], s, (0, 1), strict=False):
        if isinstance(zero, Dims) and zero not in ((), (1,)) and (len(matrix) != 2 or zero != (matrix[line],)):
            raise ShapeMismatch(f"zero points of shape {tuple(zero)} for a matrix of shape {tuple(matrix)}")
    return matmul_shape(s[:2], a)


def _matmul_integer(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    wide = [v if v.dtype.kind == "f" else v.astype(np.int32) for v in x]
    left, right = wide[:2]
    if len(wide) > 2:
        left = left - wide[2].reshape((-1, 1) if wide[2].size > 1 else ())
    if len(wide) > 3:
        right = right - wide[3].reshape(-1 if wide[3].size > 1 else ())
    return np.asarray(np.matmul(left, right))


def _widest_integer(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    """The product of magnitudes, from which no zero point subtracts anything."""
    sizes = [np.abs(v) for v in x]
    return _matmul_integer([*sizes[:2], *(-v for v in sizes[2:])], a)


def _centred(c: Call, cast: str, reshape: str) -> list[str]:
    """Both matrices in 32 bits, less their zero points."""
    out = []
    for i in range(2):
        text = cast.format(c.x[i])
        if len(c.x) > 2 + i:
            zero = cast.format(c.x[2 + i])
            by_row = i == 0 and c.types[2].size > 1
            text = f"({text} - {reshape.format(zero) if by_row else zero})"
        out.append(text)
    return out


def _matmul_integer_torch(c: Call) -> tuple[str, ...]:
    left, right = _centred(c, "{}.to(torch.int32)", "{}.reshape(-1, 1)")
    return f"torch.matmul({left}, {right})", f"{left} @ {right}"


def _matmul_integer_jax(c: Call) -> str:
    rows = (-1, 1) if len(c.types) > 2 and c.types[2].rank == 1 and c.types[2].size > 1 else None
    x = [f"{text}.astype(jnp.int32)" for text in c.x]
    zeros = [f"{text}.reshape({rows})" if rows and i == 0 else text for i, text in enumerate(x[2:])]
    left, right = (f"({a} - {b})" if b else a for a, b in zip_longest(x[:2], zeros))
    return f"{left} @ {right}"


def _matmul_integer_tensorflow(c: Call) -> tuple[str, ...]:
    left, right = _centred(c, "tf.cast({}, tf.int32)", "tf.reshape({}, (-1, 1))")
    return tuple(form.format(left, right) for form in _matmul_tensorflow(replace(c, types=c.types[:2])))


def _sample_matmul_integer(rng: random.Random, first: TensorType) -> Sample | None:
    made = _sample_matmul(rng, first)
    if made is None or first.rank < 2 or 0 in first.shape:
        return None
    right = TensorType(rng.choice(_BYTES) if first.dtype == "uint8" else "int8", made.operands[0].type.shape)
    if right.rank < 2:
        return None
    operands = [Operand(right)]
    zeros = rng.randint(0, 2)
    if zeros:
        operands.append(_zero_point(rng, first.dtype, ()))
    if zeros > 1:
        operands.append(_zero_point(rng, right.dtype, rng.choice(((), right.shape[1:] if right.rank == 2 else ()))))
    return Sample(tuple(operands))


def _zero_point(rng: random.Random, dtype: str, shape: tuple[int, ...]) -> Operand:
    return Operand(TensorType(dtype, shape), values=(0 if dtype == "uint8" else -3, 5))


# --- Det -------------------------------------------------------------------------------------------------------------

_LARGEST_BOUNDED = 5
"""The largest order of a determinant with a bound, which sums over all permutations."""


def _permanent(x: np.ndarray) -> np.ndarray:
    n = x.shape[-1]
    total = np.zeros(x.shape[:-2])
    for perm in itertools.permutations(range(n)):
        total = total + np.prod([x[..., i, p] for i, p in enumerate(perm)], axis=0)
    return total


def _det_error(c: ErrorContext) -> np.ndarray:
    """Elimination with pivots is exact for a matrix within n^2 2^(n-1) u max|a| (Higham, theorem 9.5)."""
    x, n = np.abs(c.x[0]), c.x[0].shape[-1]
    if n > _LARGEST_BOUNDED:
        return np.full(c.y[0].shape, np.inf)
    widest = np.max(x, axis=(-2, -1), keepdims=True) if n else 0.0
    moved = np.broadcast_to(c.e[0], x.shape) + n * n * 2.0 ** (n - 1) * c.unit * widest
    high = _permanent(x + moved)
    return np.asarray(high - _permanent(x) + n * c.unit * high)


def integer_product(name: str, **more: Any) -> Op:
    """The entry of a product of bytes, less their zero points, which are the last two operands."""
    inputs, types = ("A", "B", "A", "B"), {"A": _BYTES, "B": _BYTES}
    return Op(name=name, inputs=inputs, min_inputs=2, types=types, results=("int32",), integer_exact=True, **more)


OPS = (
    Op(
        name="MatMul",
        inputs=("T", "T"),
        types={"T": WIDE},
        shape=matmul_shape,
        numpy=product,
        error=linear_error(lambda c: c.x[0].shape[-1]),
        text=spell(_matmul_torch, _matmul_tensorflow, "@ jnp.matmul"),
        sample=_sample_matmul,
        partial=magnitudes(product),
        adjoint=linear_adjoints.matmul,
        followers="Add Mul Div Transpose Softmax Reshape MatMul Cast Split Slice LayerNormalization "
        f"{sampling.ACTIVATED}",
        **facts(weight=4, modular=True, fresh=True),
    ),
    Op(
        name="Gemm",
        inputs=("T", "T", "T"),
        types={"T": WIDE},
        shape=_gemm_shape,
        definition=onnx_term(_gemm, widen=False),
        text=spell(_gemm_torch, tf=_gemm_tensorflow),
        sample=_sample_gemm,
        attrs=attributes(alpha=1.0, beta=1.0, transA=0, transB=0),
        partial=by_definition,
        adjoint=linear_adjoints.gemm,
        followers=f"Add Mul Gemm Reshape Transpose Softmax {sampling.ACTIVATED}",
        **facts(min_inputs=2, modular=True, fresh=True),
    ),
    integer_product(
        "MatMulInteger",
        shape=_matmul_integer_shape,
        numpy=_matmul_integer,
        error=lambda c: errors.multilinear(c, lambda x: _widest_integer(x, c.attrs), c.x[0].shape[-1]),
        text=spell(_matmul_integer_torch, _matmul_integer_tensorflow, _matmul_integer_jax),
        sample=_sample_matmul_integer,
        partial=_widest_integer,
        weight=0.8,
    ),
    Op(
        name="Det",
        types={"T": tuple(t for t in FLOATS if t != "bfloat16")},
        shape=fitting(lambda s, a: len(s[0]) > 1 and s[0][-1] == s[0][-2], lambda s, a: [s[0].batch(2)]),
        numpy=lambda x, a: np.linalg.det(x[0]),
        error=_det_error,
        text=spell("torch.linalg. torch. .", ("tf.linalg.", "tf.raw_ops.MatrixDeterminant(input={0})"), "jnp.linalg."),
        sample=lambda rng, first: (
            Sample() if first.rank > 1 and first.shape[-1] == first.shape[-2] in range(1, _LARGEST_BOUNDED) else None
        ),
        adjoint=adjoints.det,
        unsettled=lambda one: not np.isfinite(one.x[0]).all(),  # elimination may lose a NaN, another formula may not
        **facts(ulps=2, weight=0.8),
    ),
)
