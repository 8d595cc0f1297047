"""Operators whose result depends only on the shape and type of their operand."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL
from polyjuice.ops import errors, sampling
from polyjuice.ops.decomposition_terms import onnx_term
from polyjuice.ops.normal import demand
from polyjuice.ops.shapes import Dims, fitting
from polyjuice.ops.spec import Attr, Call, Op, TemplatesFn, Texts, attributes, facts
from polyjuice.ops.structural import WITHOUT_BFLOAT16
from polyjuice.ops.text import spell

_FAR = 2**63 - 1
"""An end beyond every dimension."""

_LIKE = "dtype=torch.{type}, device={0}.device"


# --- EyeLike ---------------------------------------------------------------------------------------------------------


def _eye_like(*texts: str, main: tuple[str, ...] = ()) -> TemplatesFn:
    """Templates with the sizes ``{rows}`` and ``{columns}``, and further ones for the main diagonal."""

    def sized(c: Call) -> tuple[str, ...]:
        rows, columns = map(str, c.types[0].shape)
        chosen = (*texts, *main) if c.attrs["k"] == 0 else texts
        return tuple(text.replace("{rows}", rows).replace("{columns}", columns) for text in chosen)

    return sized


@sampling.of_rank(2, 2, empty=True)
def _draw_eye_like(rng: random.Random, first: TensorType) -> Attrs:
    return {"dtype": rng.choice((first.dtype, first.dtype, "float32", "int64")), "k": rng.choice((0, 0, 1, -1, 3))}


# --- Shape, Size -----------------------------------------------------------------------------------------------------


def _known(value: Callable[[Call], object], tensorflow: Any) -> Mapping[str, Texts]:
    """The texts of an operator whose result shapes alone decide."""
    return spell(
        lambda c: f"torch.tensor({value(c)}, dtype=torch.int64, device={c.x[0]}.device)",
        tensorflow,
        lambda c: f"jnp.array({value(c)}, jnp.int64)",
    )


def _shape_tensorflow(c: Call) -> str:
    start, end = c.attrs["start"], c.attrs["end"]
    part = "" if start == 0 and end >= c.types[0].rank else f"[{start}:{end if end != _FAR else ''}]"
    return f"tf.shape({c.x[0]}, out_type=tf.int64){part}"


def _draw_shape(rng: random.Random, first: TensorType) -> Attrs:
    """Draw at least one dimension, where there are any, because an empty result tests nothing."""
    if not first.rank or rng.random() < 0.5:
        return {"start": 0, "end": _FAR}
    start = rng.randrange(first.rank)
    return {"start": start, "end": rng.randint(start + 1, first.rank)}


# --- full_like and its kind ------------------------------------------------------------------------------------------


def _filling(name: str, text: Mapping[str, Texts], attr: str = "", value: float = 0.0) -> Op:
    """An operator that returns a tensor of one number: ``value``, or an attribute."""

    def draw(rng: random.Random, first: TensorType) -> Attrs:
        numbers = (0.0, 1.0) if first.dtype == "bool" else (0.0, 1.0, 2.0, 7.0)
        if first.dtype in dtypes.FLOATS:
            numbers = (*numbers, -1.5, 0.1)
        return {attr: rng.choice(numbers)} if attr else {}

    return Op(
        name=name,
        types={"T": ALL},
        shape=lambda s, a: [s[0]],
        text=text,
        definition=onnx_term(lambda x, a: x.number(a.get(attr, value)).expand(*x.shape), widen=False),
        sample=sampling.alone_with(draw),
        attrs=(Attr(attr, "float"),) if attr else (),
        **facts(integer_exact=True, weight=0.15, signed_zeros=True, any_number=True),
    )


OPS: tuple[Op, ...] = (
    Op(
        name="EyeLike",
        types={"T": WITHOUT_BFLOAT16},
        results=("@dtype",),
        shape=fitting(lambda s, a: len(s[0]) == 2),
        numpy=lambda x, a: np.eye(x[0].shape[0], x[0].shape[1], a["k"]),
        text=spell(
            _eye_like(
                f"torch.triu(torch.tril(torch.ones(({{rows}}, {{columns}}), {_LIKE}), {{k}}), {{k}})",
                main=(f"torch.eye({{rows}}, {{columns}}, {_LIKE})",),
            ),
            _eye_like(
                "tf.cast(tf.equal(tf.range({columns}) - tf.range({rows})[:, None], {k}), tf.{type})",
                main=("tf.eye({rows}, num_columns={columns}, dtype=tf.{type})",),
            ),
            _eye_like("jnp.eye({rows}, {columns}, k={k}, dtype=jnp.{type})"),
        ),
        sample=sampling.alone_with(_draw_eye_like),
        attrs=attributes(dtype="dtype", k=0),
        error=errors.none,
        normal=lambda a, x: demand(a.setdefault("dtype", x[0].dtype) != "bfloat16", "a type that opset 18 lacks"),
        **facts(integer_exact=True, weight=0.3, signed_zeros=True),
    ),
    Op(
        name="Shape",
        types={"T": ALL},
        results=("int64",),
        shape=lambda s, a: [Dims((len(tuple(s[0])[a.start : a.end]),))],
        numpy=lambda x, a: np.array(x[0].shape[a["start"] : a["end"]], np.int64),
        text=_known(lambda c: list(c.types[0].shape[c.attrs["start"] : c.attrs["end"]]), _shape_tensorflow),
        sample=sampling.alone_with(_draw_shape),
        attrs=attributes(start=0, end=_FAR),
        error=errors.none,
        **facts(integer_exact=True, weight=0.2),
    ),
    Op(
        name="Size",
        types={"T": ALL},
        results=("int64",),
        shape=lambda s, a: [s[0].batch(len(s[0]))],
        numpy=lambda x, a: np.array(x[0].size, np.int64),
        text=_known(lambda c: c.types[0].size, "tf.size({0}, out_type=tf.int64)"),
        sample=sampling.alone,
        error=errors.none,
        **facts(integer_exact=True, weight=0.2),
    ),
    _filling(
        "fill",
        spell(
            "torch.fill({0}, {value})",
            (
                "tf.fill({shape}, tf.constant({value}, dtype=tf.{type}))",
                "tf.constant({value}, shape={shape}, dtype=tf.{type})",
            ),
        ),
        "value",
    ),
    _filling(
        "full_like",
        spell(
            (
                "torch.full_like({0}, {fill_value})",
                "torch.full({shape}, {fill_value}, dtype=torch.{type}, device={0}.device)",
            ),
            "tf.fill(tf.shape({0}), tf.constant({fill_value}, dtype=tf.{type}))",
        ),
        "fill_value",
    ),
    _filling("zeros_like", spell(("torch. .zero_", "{0}.new_zeros({0}.shape)"), "tf.", "jnp.")),
    _filling("ones_like", spell(("torch.", "{0}.new_ones({0}.shape)"), "tf.", "jnp."), value=1.0),
)
