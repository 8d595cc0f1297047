"""Recurrent networks: a cell is applied to the steps of a sequence, forwards, backwards, or both."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType
from polyjuice.ir.dtypes import FLOATS
from polyjuice.ops import sampling
from polyjuice.ops.decomposition_terms import Term, concat, onnx_term, where
from polyjuice.ops.shapes import Dims, fitting
from polyjuice.ops.spec import Attr, Op, Sample, attributes, facts
from polyjuice.ops.text import spell

_Cell = Callable[[Term, Term, "Term | None", Sequence[Term], "Term | None", Attrs], Sequence[Term]]
"""A step: from the input's gates, the recurrent weights and bias, the states and peepholes to the new states."""

_LONGEST = 6
"""The generator draws no longer sequences, because the definition has every step."""


def _parts(t: Term, count: int) -> list[Term]:
    """Equal parts along the last axis, one for each gate."""
    size = t.shape[-1] // count
    return [t.slice(t.rank - 1, i * size, (i + 1) * size) for i in range(count)]


def _plus(t: Term, bias: Term | None) -> Term:
    return t if bias is None else t + bias


def _simple(x: Term, r: Term, bias: Term | None, states: Sequence[Term], _: Term | None, a: Attrs) -> Sequence[Term]:
    return [_plus(x + states[0] @ r, bias).then("Tanh")]


def _gru(x: Term, r: Term, bias: Term | None, states: Sequence[Term], _: Term | None, a: Attrs) -> Sequence[Term]:
    (h,) = states
    weights, inputs = _parts(r, 3), _parts(x, 3)
    biases = _parts(bias, 3) if bias else [None] * 3
    update, reset = (_plus(inputs[i] + h @ weights[i], biases[i]).then("Sigmoid") for i in range(2))
    if a["linear_before_reset"]:
        new = inputs[2] + reset * _plus(h @ weights[2], biases[2])
    else:
        new = _plus(inputs[2] + (reset * h) @ weights[2], biases[2])
    return [(1 - update) * new.then("Tanh") + update * h]


def _lstm(
    x: Term, r: Term, bias: Term | None, states: Sequence[Term], peepholes: Term | None, a: Attrs
) -> Sequence[Term]:
    h, c = states
    into, out, forget, new = _parts(_plus(x + h @ r, bias), 4)
    looks = _parts(peepholes, 3) if peepholes else None
    if looks:
        into, forget = into + looks[0] * c, forget + looks[2] * c
    c = forget.then("Sigmoid") * c + into.then("Sigmoid") * new.then("Tanh")
    out = out + looks[1] * c if looks else out
    return [out.then("Sigmoid") * c.then("Tanh"), c]


def _network(cell: _Cell, states: int, fused: bool, *given: Any) -> Sequence[Term]:
    """All steps in all directions. With ``fused`` both biases are added to each other before they are to the gates."""
    x, w, r, *rest, a = given
    bias, starts, peepholes = (rest or [None])[0], rest[1 : 1 + states], rest[1 + states :]
    (steps, batch, _), (directions, *_), hidden = x.shape, w.shape, a["hidden_size"]
    present = [np.array(a["sequence_lens"] or [steps] * batch)[:, None] > t for t in range(steps)]
    results: list[list[Term]] = []
    for d in range(directions):

        def own(t: Term, d: int = d) -> Term:
            return t.slice(0, d, d + 1).squeeze(0)

        before, after = _parts(own(bias), 2) if bias else (None, None)
        if fused and before and after:
            after, before = before + after, None
        inputs, weights = _plus(x @ own(w).permute(1, 0), before), own(r).permute(1, 0)
        state = [own(t) for t in starts] or [x.number(0).expand(batch, hidden)] * states
        looks = own(peepholes[0]) if peepholes else None
        outputs: dict[int, Term] = {}
        for t in range(steps)[:: -1 if d or a["direction"] == "reverse" else 1]:
            new = cell(inputs.slice(0, t, t + 1).squeeze(0), weights, after, state, looks, a)
            here = None if present[t].all() else x.constant(present[t])
            state = [where(here, n, old) if here else n for n, old in zip(new, state, strict=True)]
            outputs[t] = where(here, new[0], 0.0) if here else new[0]
        every = concat(0, *(outputs[t].unsqueeze(0, 1) for t in range(steps)))
        results.append([every, *(t.unsqueeze(0) for t in state)])
    return [concat(int(place == 0), *parts) for place, parts in enumerate(zip(*results, strict=True))]


def _fits(gates: int, states: int, s: Sequence[Dims], a: Any) -> bool:
    x, w, r, *rest = s
    d, hidden = 1 + (a.direction == "bidirectional"), a.hidden_size
    lens = tuple(a.sequence_lens)
    wanted = [(d, 2 * gates * hidden), *[(d, x[1], hidden)] * states, (d, 3 * hidden)]
    fits = len(x) == 3 and 0 not in x and w == (d, gates * hidden, x[2]) and r == (d, gates * hidden, hidden)
    known = a.direction in ("forward", "reverse", "bidirectional") and len(lens) in (0, x[1])
    return (
        fits and known and all(0 <= n <= x[0] for n in lens) and all(p == q for p, q in zip(rest, wanted, strict=False))
    )


def _recurrent(name: str, cell: _Cell, gates: int, states: int, further: int = 0, **more: Any) -> Op:
    """An operator with some gates and states. Its bias, first states and ``further`` operands are optional."""

    @sampling.of_rank(3, 3)
    def sample(rng: random.Random, first: TensorType) -> Sample | None:
        steps, batch, width = first.shape
        if steps > _LONGEST:
            return None
        direction, hidden = rng.choice(("forward", "reverse", "bidirectional")), rng.choice((1, 2, 3, 4, 8))
        d = 1 + (direction == "bidirectional")
        shapes = [(d, gates * hidden, width), (d, gates * hidden, hidden), (d, 2 * gates * hidden)]
        optional = [*[(d, batch, hidden)] * states, *[(d, 3 * hidden)] * further]
        shapes = [*shapes, *optional][: rng.choice([2, 3, 3 + states, 3 + states + further])]
        lens = tuple(rng.randint(1, steps) for _ in range(batch)) if rng.random() < 0.2 else ()
        attrs = {attr.name: rng.randint(0, 1) for attr in more.get("attrs", ())}
        return sampling.operands(first, *shapes, hidden_size=hidden, direction=direction, sequence_lens=lens, **attrs)

    given: dict[str, Any] = {
        **more,
        "attrs": (*attributes(hidden_size="int", direction="forward"), *more.get("attrs", ())),
    }
    given["attrs"] += (Attr("sequence_lens", "ints", (), as_input=True, place=4),)
    return Op(
        name=name,
        inputs=("T",) * (4 + states + further),
        types={"T": FLOATS},
        results=("T",) * (1 + states),
        shape=fitting(
            partial(_fits, gates, states),
            lambda s, a: [
                s[0].batch(2).append(s[1][0], s[0][1], a.hidden_size),
                *[s[1].batch(2).append(s[0][1], a.hidden_size)] * states,
            ],
        ),
        text=spell(),
        definition=onnx_term(partial(_network, cell, states, False)),
        algorithms=(onnx_term(partial(_network, cell, states, True)),),
        sample=sample,
        **given,
        **facts(min_inputs=3, weight=0.3, data_inputs=1, followers="Squeeze Transpose Reshape"),
    )


OPS = (
    _recurrent("RNN", _simple, 1, 1),
    _recurrent("GRU", _gru, 3, 1, attrs=attributes(linear_before_reset=0)),
    _recurrent("LSTM", _lstm, 4, 2, 1),
)
