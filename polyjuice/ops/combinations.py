"""ATen's elementwise combinations of a product, a quotient or an interpolation with a sum."""

from __future__ import annotations

import random
from typing import Any

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS, NUMERIC
from polyjuice.ops import domains, sampling
from polyjuice.ops.decomposition_terms import Term
from polyjuice.ops.pointwise import defined, suitable, with_attrs
from polyjuice.ops.spec import Attr, Op, Operand, Sample, SpecialValues, by_definition

# --- ATen's combinations ---------------------------------------------------------------------------------------------


def _sample_interpolate(rng: random.Random, first: TensorType) -> Sample:
    end = TensorType(first.dtype, sampling.broadcastable(rng, first.shape))
    weight = () if rng.random() < 0.4 else sampling.broadcastable(rng, first.shape)
    return Sample((Operand(end), Operand(TensorType(first.dtype, weight))))


def _sample_combination(rng: random.Random, first: TensorType) -> Sample:
    values = suitable((1.0, 1.0, 2.0, 0.5, -1.0, -3.0), first.dtype)
    return Sample(sampling.same_type(2)(rng, first).operands, {"value": rng.choice(values)})  # type: ignore[union-attr]


def _combination(name: str, symbol: str, dtypes: tuple[str, ...], **more: Any) -> Op:
    def definition(x: Term, y: Term, z: Term, a: Attrs) -> Term:
        combined = y * z if symbol == "*" else y / z
        return x + (combined if a["value"] == 1 else combined * a["value"])

    return defined(
        name,
        definition,
        with_attrs(
            f"torch.{name}({{0}}, {{1}}, {{2}}, value={{value}})", f"{{0}}.{name}({{1}}, {{2}}, value={{value}})"
        ),
        dtypes=dtypes,
        operands=3,
        sample=_sample_combination,
        attrs=(Attr("value", "float", 1.0),),
        weight=0.4,
        **more,
    )


def _sample_subtract_reversed(rng: random.Random, first: TensorType) -> Sample:
    alpha = rng.choice(suitable((1.0, 1.0, 2.0, 0.5, -1.0, 3.0), first.dtype))
    return Sample((Operand(TensorType(first.dtype, sampling.broadcastable(rng, first.shape))),), {"alpha": alpha})


OPS = (
    # combinations
    defined(
        "rsub",
        lambda x, y, a: y - (x if a["alpha"] == 1 else x * a["alpha"]),
        with_attrs("torch.rsub({0}, {1}, alpha={alpha})", "torch.sub({1}, {0}, alpha={alpha})"),
        dtypes=NUMERIC,
        operands=2,
        partial=by_definition,
        sample=_sample_subtract_reversed,
        attrs=(Attr("alpha", "float", 1.0),),
        weight=0.4,
        limits=SpecialValues.NAN,
        modular=True,
    ),
    _combination("addcmul", "*", NUMERIC, partial=by_definition, modular=True),
    _combination("addcdiv", "/", FLOATS, distance_to_domain=domains.nonzero(2)),
    defined(
        "lerp",
        lambda x, y, w, a: x + w * (y - x),
        ("torch.lerp({0}, {1}, {2})", "{0}.lerp({1}, {2})", "{0} + {2} * ({1} - {0})"),
        operands=3,
        partial=by_definition,
        sample=_sample_interpolate,
        integer_exact=True,
        weight=0.4,
    ),
)
