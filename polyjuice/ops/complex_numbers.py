"""ATen's operators on complex numbers: complex64, which has the real and the imaginary part in float32.

A complex value's reference is complex128. Its error bound is on the modulus of the difference, so it bounds each part
too. Sums and products of Gaussian integers are exact while float32 holds all parts and partial sums. A number with an
infinite or NaN part is masked in all operators. By C's Annex G some products are infinite, and by NumPy's and Torch's
own arithmetic they are NaN.

Torch evaluates ``conj``, and the imaginary part of a conjugate, lazily: a bit of the tensor says that its memory is
still to be conjugated or negated. Compilers must carry the bit along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, complexes, dtypes
from polyjuice.ir.dtypes import COMPLEX
from polyjuice.ops import axis_reductions, errors, sampling, spec
from polyjuice.ops.matrix import linear_error, matmul_shape, product, sample_matrices
from polyjuice.ops.pointwise import broadcast_shape
from polyjuice.ops.reductions import operand_errors, over, reducing, terms
from polyjuice.ops.shapes import fitting
from polyjuice.ops.spec import Call, ErrorContext, Op, Sample, SampleFn, Texts, Unsupported, attributes, facts
from polyjuice.ops.text import applied, spell

TORCH_ALONE = Unsupported("complex numbers are tested in Torch alone")

PARTS = ("float32",)
"""The types of the parts of complex numbers."""

_MULTIPLICATION = 4.0
"""A product errs by at most sqrt(5) u |x| |y| in the usual order; with three multiplications by a little more.

Source: Brent, Percival and Zimmermann, Mathematics of Computation 76, 2007.
"""

_MODULUS = 4.0
"""A modulus is a square root of a sum of two squares, or better."""


def _size(x: np.ndarray) -> np.ndarray:
    """The sum of the magnitudes of both parts, which bounds all partial sums of products and sums of such numbers."""
    return np.asarray(np.abs(x.real) + np.abs(x.imag))


# --- error bounds ----------------------------------------------------------------------------------------------------


def _finite(rule: spec.ErrorFn) -> spec.ErrorFn:
    """A rule with an infinite bound wherever an operand or the result is not finite."""

    def bound(c: ErrorContext) -> np.ndarray:
        found = np.where(np.isfinite(c.y[0]), np.asarray(rule(c), np.float64), np.inf)
        return np.where(np.isnan(found), np.inf, found)

    return bound


def _pair_of_lines(c: ErrorContext) -> np.ndarray:
    e = np.broadcast_to(c.e[0], c.x[0].shape)
    return np.asarray(np.hypot(e[..., 0], e[..., 1]))


def _product_error(c: ErrorContext) -> np.ndarray:
    """The bound for a product; each of its four products of parts may underflow."""
    return errors.product(c) + 4 * dtypes.smallest_normal(errors.held(c)) * (c.unit > 0)


def _modulus_error(c: ErrorContext) -> np.ndarray:
    """A modulus moves at most by the modulus of the change; squares may underflow or overflow."""
    size = np.abs(c.x[0]) + c.e[0]
    lost = np.sqrt(2 * dtypes.smallest_normal(errors.held(c)))
    return errors.unless_overflow(c, size * size, c.e[0] + np.where(size > 0, lost, 0.0))


def _angle_error(c: ErrorContext) -> np.ndarray:
    """Unknown for zero, and at the negative real axis, where a zero's sign decides between pi and -pi."""
    z, tiny = c.x[0], dtypes.smallest_normal(errors.held(c))
    reach = np.broadcast_to(c.e[0] + tiny, z.shape)
    margin = np.abs(z) - reach
    moved = np.pi / 2 * c.e[0] / np.where(margin > 0, margin, 1.0)
    cut = (z.real <= reach) & (np.abs(z.imag) <= reach)
    return np.where((margin <= 0) | cut, np.inf, moved)


def _sum_error(c: ErrorContext) -> np.ndarray:
    return errors.summed(terms(c), c, over(c, np.sum, operand_errors(c)), over(c, np.sum, np.abs(c.x[0])))


def _scaled_error(c: ErrorContext) -> np.ndarray:
    number, exact = np.asarray(_number(c.attrs)), np.zeros(())
    return _product_error(c._replace(x=[c.x[0], number], e=[c.e[0], exact]))


# --- shapes, meanings and samples ------------------------------------------------------------------------------------


def _number(a: Attrs) -> complex:
    return complex(a["real"], a["imag"])


_FACTORS = (0.0, 1.0, -1.0, 2.0, 0.5, -3.0)


def _times_number(c: Call) -> tuple[str, ...]:
    number = repr(_number(c.attrs))
    number = number if number.startswith("(") else f"({number})"
    return f"{{0}} * {number}", f"torch.mul({{0}}, {number})", f"{number} * {{0}}", f"{{0}}.mul({number})"


def _matmul_torch(c: Call) -> tuple[str, ...]:
    further = {
        2: ("torch.mm({0}, {1})", "({1}.mT @ {0}.mT).mT", "({1}.mH @ {0}.mH).mH"),
        3: ("torch.bmm({0}, {1})",),
    }
    ranks = {t.rank for t in c.types}
    return *applied("torch.matmul @ .matmul", operands=2), *(further.get(min(ranks), ()) if len(ranks) == 1 else ())


def _conj_torch(c: Call) -> tuple[str, ...]:
    forms = applied("torch.conj .conj .conj_physical torch.conj_physical")
    return (*forms, "{0}.mH.mT", "{0}.mT.mH", "{0}.adjoint().transpose(-2, -1)") if c.types[0].rank > 1 else forms


# --- entries ---------------------------------------------------------------------------------------------------------


def _op(
    name: str,
    numpy: spec.NumpyFn,
    error: spec.ErrorFn,
    torch: Texts,
    *,
    arity: int = 1,
    sample: SampleFn = sampling.alone,
    types: tuple[str, ...] = COMPLEX,
    result: str = "T",
    shape: Callable[..., Sequence[Any]] = broadcast_shape,
    elementwise: bool = True,
    **more: Any,
) -> Op:
    return Op(
        name=name,
        inputs=("T",) * arity,
        types={"T": types},
        results=(result,),
        shape=shape,
        numpy=numpy,
        error=_finite(error),
        text=spell(torch, TORCH_ALONE),
        definition=TORCH_ALONE,
        sample=sample,
        elementwise=elementwise,
        **more,
    )


def _part(name: str, numpy: Callable[[np.ndarray], np.ndarray]) -> Op:
    """The entry of the real or the imaginary part, which Torch returns as a view."""
    texts = (f"torch.{name}({{0}})", f"{{0}}.{name}")
    return _op(name, lambda x, a: numpy(x[0]), errors.lipschitz(), texts, result="float32", moves=True)


def _arithmetic(name: str, symbol: str, function: Any, error: spec.ErrorFn, **more: Any) -> Op:
    return _op(
        f"{name}.complex",
        lambda x, a: function(x[0], x[1]),
        error,
        (f"{symbol} torch.{name} .{name} .{name}_",),
        arity=2,
        sample=sampling.same_type(1),
        integer_exact=True,
        **more,
    )


OPS: tuple[Op, ...] = (
    # parts
    _op(
        "complex",
        lambda x, a: complexes.joined(x[0], x[1]),
        lambda c: np.asarray(np.hypot(*c.e) + np.zeros(np.shape(c.y[0]))),
        (
            "torch.complex({0}, {1})",
            "{0} + 1j * {1}",
            "torch.view_as_complex(torch.stack(torch.broadcast_tensors({0}, {1}), -1))",
        ),
        arity=2,
        sample=sampling.same_type(1),
        types=PARTS,
        result="complex64",
        integer_exact=True,
    ),
    _op(
        "view_as_complex",
        lambda x, a: complexes.joined(x[0][..., 0], x[0][..., 1]),
        _pair_of_lines,
        (
            "torch.view_as_complex({0}.clone(memory_format=torch.contiguous_format))",
            "torch.complex({0}[..., 0], {0}[..., 1])",
        ),
        sample=lambda rng, first: Sample() if first.rank and first.shape[-1] == 2 else None,
        types=PARTS,
        result="complex64",
        shape=fitting(lambda s, a: s[0][-1:] == (2,), lambda s, a: [s[0].batch(1)]),
        **facts(elementwise=False, moves=True),
    ),
    _op(
        "view_as_real",
        lambda x, a: np.stack(complexes.parts(x[0]), -1),
        lambda c: np.broadcast_to(np.asarray(c.e[0])[..., None] if np.ndim(c.e[0]) else c.e[0], np.shape(c.y[0])),
        ("torch.view_as_real({0}.resolve_conj())", "torch.stack(({0}.real, {0}.imag), -1)"),
        result="float32",
        shape=lambda s, a: [s[0].append(2)],
        **facts(elementwise=False, moves=True),
    ),
    _part("real", np.real),
    _part("imag", np.imag),
    _op("conj", lambda x, a: np.conj(x[0]), errors.lipschitz(), _conj_torch, moves=True, weight=0.6),
    _op("resolve_conj", lambda x, a: x[0], errors.lipschitz(), ("torch. .",), moves=True),
    _op(
        "abs.complex",
        lambda x, a: np.abs(x[0]),
        _modulus_error,
        ("torch.abs .abs abs",),
        result="float32",
        ulps=_MODULUS,
    ),
    _op(
        "angle",
        lambda x, a: np.angle(x[0]),
        _angle_error,
        ("torch. .",),
        result="float32",
        unsettled=lambda one: bool(((one.x[0].imag == 0) & (one.x[0].real <= 0)).any()),  # a zero's sign decides
        **facts(ulps=4, continuous=False),
    ),
    # arithmetic
    _arithmetic("add", "+", np.add, errors.one_sum),
    _arithmetic("sub", "-", np.subtract, errors.one_sum),
    _arithmetic(
        "mul",
        "*",
        np.multiply,
        _product_error,
        partial=lambda x, a: _size(x[0]) * _size(x[1]),
        **facts(ulps=_MULTIPLICATION, weight=0.6),
    ),
    _op(
        "neg.complex",
        lambda x, a: np.negative(x[0]),
        errors.lipschitz(),
        ("- torch.neg .neg .neg_",),
        integer_exact=True,
    ),
    _op(
        "mul.complex_number",
        lambda x, a: x[0] * x[0].dtype.type(_number(a)),
        _scaled_error,
        _times_number,
        sample=sampling.alone_with(lambda rng, first: {"real": rng.choice(_FACTORS), "imag": rng.choice(_FACTORS)}),
        attrs=attributes(real="float", imag="float"),
        integer_exact_with=lambda a, dtype: _number(a) == complex(round(a["real"]), round(a["imag"])),
        partial=lambda x, a: _size(x[0]) * _size(np.asarray(_number(a))),
        **facts(integer_exact=True, ulps=_MULTIPLICATION),
    ),
    # sums of products
    _op(
        "sum.complex",
        reducing(np.sum),
        _sum_error,
        axis_reductions.torch("torch.sum .sum"),
        sample=axis_reductions.some_axes(),
        shape=axis_reductions.dims_shape,
        attrs=axis_reductions.DIMS,
        partial=lambda x, a: reducing(np.sum)([_size(x[0])], a),
        **facts(elementwise=False, integer_exact=True),
    ),
    _op(
        "matmul.complex",
        product,
        linear_error(lambda c: 3 * c.x[0].shape[-1]),
        _matmul_torch,
        arity=2,
        sample=sample_matrices,
        shape=matmul_shape,
        partial=lambda x, a: product([_size(v) for v in x], a),
        **facts(elementwise=False, integer_exact=True),
    ),
)
