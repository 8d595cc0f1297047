"""Einsum, and ATen's contractions over chosen dimensions."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ops import linear_adjoints, sampling
from polyjuice.ops.axis_reductions import WIDE
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.matrix import linear_error, magnitudes
from polyjuice.ops.normal import GivenAttrs, Types, demand
from polyjuice.ops.products import op
from polyjuice.ops.shapes import Dims, ShapeMismatch, normalize_axis, require
from polyjuice.ops.spec import Call, ErrorContext, Op, Sample, attributes, facts
from polyjuice.ops.text import spell

# --- Einsum ----------------------------------------------------------------------------------------------------------

_EINSUM_TYPES = tuple(t for t in WIDE if t != "bfloat16")

_MOST_STEPS = 20_000
"""The most multiplications of a sampled equation."""


def _terms(equation: str) -> tuple[list[str], str]:
    """The subscripts of the operands and of the result. Raises ShapeMismatch for another form of equation."""
    inputs, arrow, output = equation.partition("->")
    operands = inputs.split(",")
    letters = "".join(operands)
    if not arrow or not all(part.isalpha() or not part for part in (*operands, output)):
        raise ShapeMismatch(f"the equation {equation!r} is not in explicit form")
    if len(set(output)) != len(output) or not set(output) <= set(letters):
        raise ShapeMismatch(f"the result of {equation!r} names an index twice, or one that no operand has")
    return operands, output


def _sizes(equation: str, shapes: Sequence[Sequence[int]]) -> dict[str, int]:
    operands, _ = _terms(equation)
    if [len(part) for part in operands] != [len(shape) for shape in shapes]:
        raise ShapeMismatch(f"operands of ranks {[len(s) for s in shapes]} for {equation!r}")
    sizes: dict[str, int] = {}
    for part, shape in zip(operands, shapes, strict=True):
        for letter, size in zip(part, shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise ShapeMismatch(f"the index {letter} of {equation!r} has sizes {sizes[letter]} and {size}")
    return sizes


def _einsum_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    if not all(isinstance(shape, Dims) for shape in s):
        len(s[0])  # raises for a rendered signature, which cannot split an equation
    sizes = _sizes(a.equation, s)
    return [Dims(sizes[letter] for letter in _terms(a.equation)[1])]


def _einsum(x: Sequence[np.ndarray], a: Attrs) -> np.ndarray:
    return np.asarray(np.einsum(a["equation"], *x))


def _summed_terms(c: ErrorContext) -> int:
    equation = c.attrs["equation"]
    sizes = _sizes(equation, [x.shape for x in c.x])
    return len(c.x) + sampling.total(size for letter, size in sizes.items() if letter not in _terms(equation)[1])


_UNARY: Mapping[int, str] = {
    0: "->",
    1: "i->i i->",
    2: "ij->ji ij->i ij->j ij-> ij->ij",
    3: "bij->bji ijk->kij ijk->k ijk->ik ijk-> ijk->kji",
    4: "abcd->acbd abcd->dcba abcd->bd abcd->ca bhwc->bchw",
    5: "abcde->edcba abcde->ace abcde->",
}

_DIAGONAL: Mapping[int, str] = {2: "ii->i ii->", 3: "bii->bi bii->b iib->bi", 4: "iijj->ij"}
"""For operands with equal sizes where a letter repeats."""

_BINARY: Mapping[int, str] = {
    0: ",i->i ,ij->ji",
    1: "i,i-> i,i->i i,j->ij i,j->ji i,ij->j i,ji->j i,->i",
    2: "ij,jk->ik ij,kj->ik ij,jk->ki ji,jk->ik ij,j->i ij,ij-> ij,ij->ij ij,ij->i ij,k->ijk ij,ji->",
    3: "bij,bjk->bik bij,bkj->bik bij,jk->bik bij,bij->b bij,bj->bi ijk,kl->ijl ijk,jil->kl bij,bjk->bki",
    4: "bhqd,bhkd->bhqk bhqk,bhkd->bhqd bqhd,bkhd->bhqk abcd,cdef->abef bchw,oc->bohw abcd,abcd->ac",
    5: "abcde,ef->abcdf abcde,abcde->",
}

_QUATERNARY: Mapping[int, str] = {2: "ij,jk,kl,lm->im ij,jk,jl,j->ikl", 3: "bij,bjk,kl,bil->bi"}

_TERNARY: Mapping[int, str] = {
    1: "i,ij,j-> i,j,k->ijk",
    2: "ij,jk,kl->il ij,j,jk->ik ij,ij,ij->i ij,ik,il->jkl",
    3: "bij,bjk,bkl->bil ijk,jl,km->ilm",
}


def _sample_einsum(rng: random.Random, first: TensorType) -> Sample | None:
    rank = first.rank
    if 0 in first.shape or rank not in _BINARY:
        return None
    tables = (_UNARY, _BINARY, _BINARY, _TERNARY, _QUATERNARY, _DIAGONAL)
    families = [table.get(rank, "").split() for table in tables]
    families[-1] = [equation for equation in families[-1] if _fits(equation, first)]
    equation = rng.choice(rng.choice([family for family in families if family]))
    operands, _ = _terms(equation)
    sizes = _sizes(operands[0] + "->", [first.shape])
    for letter in "".join(operands):
        sizes.setdefault(letter, sampling.size(rng))
    if sampling.total(sizes.values()) > _MOST_STEPS:
        return None
    further = ([sizes[letter] for letter in part] for part in operands[1:])
    return sampling.operands(first, *further, equation=equation)


def _fits(equation: str, first: TensorType) -> bool:
    try:
        _sizes(equation, [first.shape])
    except ShapeMismatch:
        return False
    return True


def _equation(c: Call) -> str:
    """The equation, sometimes with spaces, other letters, or (where it is redundant) without the result."""
    equation = str(c.attrs["equation"])
    operands, output = _terms(equation)
    letters = "".join(operands)
    implicit = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    if output == implicit and letters.isalpha() and c.draws.chance(0.2):
        return ",".join(operands)
    if letters.islower() and c.draws.chance(0.15):
        return equation.upper()
    return equation


def _einsum_tensorflow(c: Call) -> tuple[str, ...]:
    equation = _equation(c)
    return tuple(f'{place}.einsum("{equation}", {{all}})' for place in ("tf", "tf.linalg"))


def _einsum_torch(c: Call) -> tuple[str, ...]:
    """ATen sums integers in 64 bits, where it only sums them."""
    equation, cast = _equation(c), ".to(torch.{type})" * (c.types[0].dtype in ("int32", "uint32", "uint64"))
    return tuple(f'torch.einsum("{equation}", {operands}){cast}' for operands in ("{all}", "({all},)"))


# --- tensordot -------------------------------------------------------------------------------------------------------


def _tensordot_axes(a: Any, left: int, right: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    require(len(a.dims_self) == len(a.dims_other))
    return tuple(normalize_axis(d, left) for d in a.dims_self), tuple(normalize_axis(d, right) for d in a.dims_other)


def _tensordot_shape(s: Sequence[Dims], a: Any) -> Sequence[Dims]:
    ours, others = _tensordot_axes(a, len(s[0]), len(s[1]))
    require([s[0][d] for d in ours] == [s[1][d] for d in others])
    return [Dims((*s[0].reduced(ours, 0), *s[1].reduced(others, 0)))]


@sampling.of_rank(1)
def _draw_tensordot(rng: random.Random, first: TensorType) -> Sample:
    count = rng.randint(0 if rng.random() < 0.2 else 1, min(first.rank, 3))
    ours = tuple(rng.sample(range(first.rank), count))
    rank = count + rng.randint(0, 2)
    others = tuple(rng.sample(range(rank), count))
    matched = {d: first.shape[o] for d, o in zip(others, ours, strict=True)}
    shape = tuple(matched.get(i, 0) or sampling.size(rng) for i in range(rank))
    return sampling.operands(first, shape, dims_self=ours, dims_other=others)


def _listed(c: Call) -> str:
    return f"{list(c.attrs['dims_self'])}, {list(c.attrs['dims_other'])}"


def _tensordot(x: Term, y: Term, a: Attrs) -> Term:
    """Both operands as matrices, with the contracted dimensions in the middle."""
    ours, others = (tuple(axis % t.rank for axis in a[f"dims_{name}"]) for t, name in ((x, "self"), (y, "other")))
    rows, columns = ([d for d in range(t.rank) if d not in axes] for t, axes in ((x, ours), (y, others)))
    inner = sampling.total(x.shape[d] for d in ours)
    left = x.permute(*rows, *ours) if x.rank else x
    right = y.permute(*others, *columns) if y.rank else y
    height, width = (tuple(t.shape[d] for d in kept) for t, kept in ((x, rows), (y, columns)))
    product = left.reshape(sampling.total(height), inner) @ right.reshape(inner, sampling.total(width))
    return product.reshape(*height, *width)


# --- kron ------------------------------------------------------------------------------------------------------------


def _aligned(left: Sequence[int], right: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    rank = max(len(left), len(right))
    ours, others = ((1,) * (rank - len(s)) + tuple(s) for s in (left, right))
    return ours, others


def _interleaved(left: Sequence[int], right: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The operands' shapes, and the result's, for which broadcasting makes the Kronecker product."""
    ours, others = _aligned(left, right)
    wide = tuple(size for d in ours for size in (d, 1)), tuple(size for d in others for size in (1, d))
    return *wide, tuple(d * e for d, e in zip(ours, others, strict=True))


def _draw_kron(rng: random.Random, first: TensorType) -> Sample | None:
    if first.size > 1_000:
        return None
    shape = tuple(rng.choice((1, 2, 3, 4)) for _ in range(rng.randint(0, min(first.rank + 1, 3))))
    return sampling.operands(first, shape)


def _kron_tensorflow(c: Call) -> str:
    """All products of two elements, put in order, because TensorFlow broadcasts only a few alternating dimensions."""
    ours, others = _aligned(c.types[0].shape, c.types[1].shape)
    perm = [axis for d in range(len(ours)) for axis in (d, len(ours) + d)]
    products = f"tf.reshape({c.x[0]}, (-1, 1)) * tf.reshape({c.x[1]}, (1, -1))"
    ordered = f"tf.transpose(tf.reshape({products}, {(*ours, *others)}), {perm})"
    return f"tf.reshape({ordered}, {c.results[0].shape})"


def _kron(x: Term, y: Term, a: Attrs) -> Term:
    left, right, result = _interleaved(x.shape, y.shape)
    return (x.reshape(*left) * y.reshape(*right)).reshape(*result)


def _normal_einsum(a: GivenAttrs, x: Types) -> None:
    """The explicit form, without spaces, with an index for each dimension behind an ellipsis."""
    inputs, arrow, output = str(a["equation"]).replace(" ", "").partition("->")
    terms = inputs.split(",")
    demand(len(terms) == len(x), "another number of operands than the equation has")
    letters = inputs.replace("...", "").replace(",", "")
    if not arrow:
        once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        output = ("..." if "..." in inputs else "") + "".join(once)
    if "..." in inputs:
        shapes = {_behind_ellipsis(term, t) for term, t in zip(terms, x, strict=True) if "..." in term}
        demand(len(shapes) == 1, "dimensions behind an ellipsis that broadcast")
        free = [letter for letter in string.ascii_letters if letter not in letters]
        named = "".join(free[: len(shapes.pop())])
        terms, output = [term.replace("...", named) for term in terms], output.replace("...", named)
    a["equation"] = f"{','.join(terms)}->{output}"


def _behind_ellipsis(term: str, t: TensorType) -> tuple[int, ...]:
    """The sizes of the dimensions that the ellipsis of a term stands for."""
    before, _, after = term.partition("...")
    demand(len(before) + len(after) <= t.rank, "more indices than dimensions")
    return t.shape[len(before) : t.rank - len(after)]


OPS = (
    Op(
        name="Einsum",
        types={"T": _EINSUM_TYPES},
        shape=_einsum_shape,
        numpy=_einsum,
        error=linear_error(_summed_terms),
        text=spell(_einsum_torch, _einsum_tensorflow, 'jnp.einsum("{equation}", {all})'),
        sample=_sample_einsum,
        attrs=attributes(equation="string"),
        partial=magnitudes(_einsum),
        adjoint=linear_adjoints.einsum,
        normal=_normal_einsum,
        **facts(variadic="operands", integer_exact=True),
    ),
    op(
        "tensordot",
        _tensordot,
        spell(
            lambda c: (f"torch.tensordot({{0}}, {{1}}, dims=({_listed(c)}))",),
            lambda c: (f"tf.tensordot({{0}}, {{1}}, axes=[{_listed(c)}])",),
        ),
        _draw_tensordot,
        _tensordot_shape,
        attrs=attributes(dims_self="ints", dims_other="ints"),
    ),
    op(
        "kron",
        _kron,
        spell(
            "torch.kron({0}.contiguous(), {1}.contiguous())", _kron_tensorflow, "jnp."
        ),  # it raises on transposed operands
        _draw_kron,
    ),
)
