"""Operators whose result depends only on the shape and type of their operand."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL
from polyjuice.ops import errors, sampling
from polyjuice.ops.shapes import Dims, fitting
from polyjuice.ops.spec import Attr, Builder, Call, Op, Texts, attributes, facts
from polyjuice.ops.structural import WITHOUT_BFLOAT16
from polyjuice.ops.text import TextFn, literal, spell

_FAR = 2**63 - 1
"""An end beyond every dimension."""

_SETTINGS: dict[str, Any] = {"error": errors.none, "integer_exact": True}


# --- EyeLike ---------------------------------------------------------------------------------------------------------


def _eye_like_torch(c: Call) -> str:
    (rows, columns), k = c.types[0].shape, c.attrs["k"]
    options = f"dtype=torch.{c.results[0].dtype}, device={c.x[0]}.device"
    ones = f"torch.ones(({rows}, {columns}), {options})"
    texts = [f"torch.triu(torch.tril({ones}, {k}), {k})"]
    if k == 0:
        texts.append(f"torch.eye({rows}, {columns}, {options})")
    return c.draws.choice(texts)


def _eye_like_tensorflow(c: Call) -> str:
    (rows, columns), k, dtype = c.types[0].shape, c.attrs["k"], f"tf.{c.results[0].dtype}"
    texts = [f"tf.cast(tf.equal(tf.range({columns}) - tf.range({rows})[:, None], {k}), {dtype})"]
    if k == 0:
        texts.append(f"tf.eye({rows}, num_columns={columns}, dtype={dtype})")
    return c.draws.choice(texts)


@sampling.of_rank(2, 2, empty=True)
def _draw_eye_like(rng: random.Random, first: TensorType) -> Attrs:
    return {"dtype": rng.choice((first.dtype, first.dtype, "float32", "int64")), "k": rng.choice((0, 0, 1, -1, 3))}


# --- Shape, Size -----------------------------------------------------------------------------------------------------


def _shape_torch(c: Call) -> str:
    sizes = list(c.types[0].shape[c.attrs["start"] : c.attrs["end"]])
    return f"torch.tensor({sizes}, dtype=torch.int64, device={c.x[0]}.device)"


def _shape_tensorflow(c: Call) -> str:
    start, end = c.attrs["start"], c.attrs["end"]
    whole = start == 0 and end >= c.types[0].rank
    return f"tf.shape({c.x[0]}, out_type=tf.int64)" + ("" if whole else f"[{start}:{end if end != _FAR else ''}]")


def _draw_shape(rng: random.Random, first: TensorType) -> Attrs:
    """Draw at least one dimension, where there are any, because an empty result tests nothing."""
    if not first.rank or rng.random() < 0.5:
        return {"start": 0, "end": _FAR}
    start = rng.randrange(first.rank)
    return {"start": start, "end": rng.randint(start + 1, first.rank)}


# --- full_like and its kind ------------------------------------------------------------------------------------------


def _filling(name: str, text: Mapping[str, Texts], attrs: tuple[Attr, ...] = (), value: float | None = None) -> Op:
    def filler(a: Attrs) -> float:
        return float(a[attrs[0].name]) if value is None else value

    def build(b: Builder, x: Sequence[str], a: Attrs) -> str:
        t = b.types[x[0]]
        number = b.constant(np.asarray(filler(a)).astype(dtypes.to_numpy(t.dtype)))
        return b.op("Expand", number, shape=t.shape)

    def draw(rng: random.Random, first: TensorType) -> Attrs:
        choices = (0.0, 1.0) if first.dtype == "bool" else (0.0, 1.0, 2.0, 7.0)
        if first.dtype in dtypes.FLOATS:
            choices = (*choices, -1.5, 0.1)
        return {attr.name: rng.choice(choices) for attr in attrs}

    return Op(
        name=name,
        types={"T": ALL},
        shape=lambda s, a: [s[0]],
        text=text,
        definition=build,
        sample=sampling.alone_with(draw),
        attrs=attrs,
        **facts(integer_exact=True, weight=0.15, signed_zeros=True, any_number=True),
    )


def _filled(attr: str, *templates: str) -> TextFn:
    def spell(c: Call) -> str:
        value, t = literal(c.attrs[attr], c.types[0].dtype), c.types[0]
        return c.draws.choice(templates).format(c.x[0], value, t.dtype, list(t.shape))

    return spell


OPS: tuple[Op, ...] = (
    Op(
        name="EyeLike",
        types={"T": WITHOUT_BFLOAT16},
        results=("@dtype",),
        shape=fitting(lambda s, a: len(s[0]) == 2),
        numpy=lambda x, a: np.eye(x[0].shape[0], x[0].shape[1], a["k"]),
        text=spell(_eye_like_torch, tf=_eye_like_tensorflow),
        sample=sampling.alone_with(_draw_eye_like),
        attrs=attributes(dtype="dtype", k=0),
        **_SETTINGS,
        **facts(weight=0.3, signed_zeros=True),
    ),
    Op(
        name="Shape",
        types={"T": ALL},
        results=("int64",),
        shape=lambda s, a: [Dims((len(tuple(s[0])[a.start : a.end]),))],
        numpy=lambda x, a: np.array(x[0].shape[a["start"] : a["end"]], np.int64),
        text=spell(_shape_torch, tf=_shape_tensorflow),
        sample=sampling.alone_with(_draw_shape),
        attrs=attributes(start=0, end=_FAR),
        weight=0.2,
        **_SETTINGS,
    ),
    Op(
        name="Size",
        types={"T": ALL},
        results=("int64",),
        shape=lambda s, a: [s[0].batch(len(s[0]))],
        numpy=lambda x, a: np.array(x[0].size, np.int64),
        text=spell(
            lambda c: f"torch.tensor({c.types[0].size}, dtype=torch.int64, device={c.x[0]}.device)",
            tf=lambda c: f"tf.size({c.x[0]}, out_type=tf.int64)",
        ),
        sample=sampling.alone,
        weight=0.2,
        **_SETTINGS,
    ),
    _filling(
        "fill",
        spell(
            _filled("value", "torch.fill({0}, {1})"),
            tf=_filled(
                "value", "tf.fill({3}, tf.constant({1}, dtype=tf.{2}))", "tf.constant({1}, shape={3}, dtype=tf.{2})"
            ),
        ),
        attributes(value="float"),
    ),
    _filling(
        "full_like",
        spell(
            _filled(
                "fill_value", "torch.full_like({0}, {1})", "torch.full({3}, {1}, dtype=torch.{2}, device={0}.device)"
            ),
            tf=_filled("fill_value", "tf.fill(tf.shape({0}), tf.constant({1}, dtype=tf.{2}))"),
        ),
        attributes(fill_value="float"),
    ),
    _filling(
        "zeros_like",
        spell(
            ("torch.zeros_like({0})", "{0}.zero_()", "{0}.new_zeros({0}.shape)"),
            tf=("tf.zeros_like({0})",),
            jax="jnp.zeros_like",
        ),
        value=0.0,
    ),
    _filling(
        "ones_like",
        spell(("torch.ones_like({0})", "{0}.new_ones({0}.shape)"), tf=("tf.ones_like({0})",), jax="jnp.ones_like"),
        value=1.0,
    ),
)
