"""The texts of all operators in JAX, and those of control flow, which hold texts of other operators."""

from __future__ import annotations

from collections.abc import Mapping

from polyjuice.frameworks.jax import texts as jax_texts
from polyjuice.frameworks.jax.images import IMAGES
from polyjuice.frameworks.jax.quantized import QUANTIZED
from polyjuice.frameworks.jax.windows import WINDOWS
from polyjuice.ir import Graph
from polyjuice.ops import Call, Op, Texts
from polyjuice.ops.control import (
    Language,
    body_text,
    both,
    lambda_text,
    parameter_names,
    spelled,
    tuple_text,
    unrolled_loop,
)
from polyjuice.ops.spec import NOT_WRITTEN


def texts_of(op: Op) -> Texts:
    """The texts of an operator; one without is written by its definition."""
    return TEXTS.get(op.qualified, NOT_WRITTEN)


_LANGUAGE = Language(texts_of, "jnp.array({0}, dtype=jnp.{1})")


@spelled
def _if(c: Call) -> str:
    condition = f"{c.x[0]}.reshape(())"
    if c.draws.chance(_COND):
        then, otherwise = (lambda_text(c, _LANGUAGE, (), c.attrs[name], c.x) for name in ("then_branch", "else_branch"))
        return f"lax.cond({condition}, {then}, {otherwise})"
    return both(c, _LANGUAGE, f"jnp.where({condition}, {{0}}, {{1}})")


@spelled
def _loop(c: Call) -> str:
    body: Graph = c.attrs["body"]
    carried = len(body.outputs)
    if c.draws.chance(_UNROLLED):
        return tuple_text(body_text(c, _LANGUAGE, unrolled_loop((), c.attrs), c.x, c.let))
    trip, state = parameter_names(2)
    operands = [*(f"{state}[{i}]" for i in range(carried)), *c.x[carried:], trip]
    step = lambda_text(c, _LANGUAGE, (trip, state), body, operands)
    return f"lax.fori_loop(jnp.int64(0), jnp.int64({c.attrs['M']}), {step}, {tuple_text(c.x[:carried])})"


_COND, _UNROLLED = 0.7, 0.3

TEXTS: Mapping[str, Texts] = {
    **jax_texts.ELEMENTWISE,
    **jax_texts.SHAPES,
    **jax_texts.PLACES,
    **jax_texts.REDUCTIONS,
    **jax_texts.PRODUCTS,
    **QUANTIZED,
    **WINDOWS,
    **IMAGES,
    "If": _if,
    "Loop": _loop,
}
"""The texts by the operator's qualified name."""
