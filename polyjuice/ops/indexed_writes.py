"""ATen's operators that write at the places in an index tensor or a mask, and those that look values up in others."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, TensorType, dtypes
from polyjuice.ir.dtypes import ALL, FLOATS, NUMERIC
from polyjuice.ops import errors, sampling
from polyjuice.ops.decomposition_terms import Term, onnx_term, where
from polyjuice.ops.indexing import by_unsigned, check_same_but, draw_elements, either_width, indices
from polyjuice.ops.shapes import Dims, fitting, normalize_axis
from polyjuice.ops.spec import Attr, Op, Operand, Sample, SampleFn, attributes, by_definition, facts
from polyjuice.ops.text import called, spell

_WRITTEN = tuple(dtype for dtype in ALL if dtype not in dtypes.WIDER_UNSIGNED)
"""The types of Torch's kernels that write."""

_NUMBERS = tuple(dtype for dtype in NUMERIC if dtype not in dtypes.WIDER_UNSIGNED)


def _writing(
    name: str,
    definition: Callable[..., Term],
    sample: SampleFn,
    text: tuple[str, ...],
    attrs: tuple[Attr, ...],
    data: tuple[str, ...] = _WRITTEN,
    **properties: Any,
) -> Op:
    """An operator that writes into a copy of its first operand, at places that its second operand says."""
    settings: dict[str, Any] = {
        "inputs": ("T", "I", "T"),
        "types": {"T": data, "I": ("int64",)},
        "shape": lambda s, a: [s[0]],
        "partial": by_definition,
        **properties,
    }
    defined = onnx_term(definition, widen=False)
    return Op(name=name, definition=defined, sample=sample, text=spell(text), attrs=attrs, **settings)


def _scattered(data: Term, index: Term, updates: Term, axis: int, reduction: str) -> Term:
    return data.then("ScatterElements", index, updates, axis=axis, reduction=reduction)


# --- index_add, index_copy, index_fill, index_put, put ---------------------------------------------------------------


def _at_lines(x: Term, index: Term, lines: Term, dim: int, reduction: str = "none") -> Term:
    """Write lines at some indices of a dimension."""
    places = index.reshape(*(-1 if i == dim else 1 for i in range(x.rank))).expand(*lines.shape)
    return _scattered(x, places, lines, dim, reduction)


def _index_add(x: Term, index: Term, source: Term, a: Attrs) -> Term:
    scaled = source * a["alpha"] if a["alpha"] != 1 else source
    return _at_lines(x, index, scaled, normalize_axis(a["dim"], x.rank), "add")


def _sample_lines(adds: bool) -> SampleFn:
    @sampling.of_rank(1)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        dim = rng.randrange(first.rank)
        n = first.shape[dim]
        count = rng.choice((1, 2, 3, 5, n)) if adds else rng.randint(1, n)
        index = TensorType(either_width(rng) if adds else "int64", (count,))
        source = Operand(TensorType(first.dtype, Dims(first.shape).replace(dim, count)))
        alphas = (1.0, 1.0, 2.0, 3.0) if first.dtype in dtypes.UNSIGNED else (1.0, 1.0, 2.0, -1.0)
        attrs = {"dim": dim, "alpha": rng.choice(alphas)} if adds else {"dim": dim}
        return Sample((Operand(index, (0, n - 1), None if adds else 0), source), attrs)

    return sample


_LINES = fitting(lambda s, a: len(s[1]) == 1 and s[0].replace(a.dim, s[1][0]) == s[2])


def _index_fill(x: Term, index: Term, a: Attrs) -> Term:
    dim = normalize_axis(a["dim"], x.rank)
    lines = x.number(a["value"]).expand(*Dims(x.shape).replace(dim, index.shape[0]))
    return _at_lines(x, index, lines, dim)


@sampling.of_rank(1)
def _sample_index_fill(rng: random.Random, first: TensorType) -> Sample:
    dim = rng.randrange(first.rank)
    index = Operand(TensorType("int64", (rng.randint(1, first.shape[dim]),)), (0, first.shape[dim] - 1), 0)
    return Sample((index,), {"dim": dim, "value": 0.0 if first.dtype == "bool" else float(rng.choice((0, 1, 3)))})


def _fits_rows(s: Sequence[Dims], a: Any) -> bool:
    rows = Dims((*s[1], *s[0][1:]))
    return len(s[0]) > 0 and s[2].broadcast(rows) == rows


def _index_put(x: Term, index: Term, values: Term, a: Attrs) -> Term:
    """Rows at places of the first axis, where the values broadcast to the rows."""
    rows = values.expand(*index.shape, *x.shape[1:])
    return x.then("ScatterND", index.unsqueeze(index.rank), rows, reduction="add" if a["accumulate"] else "none")


def _draw_accumulate(rng: random.Random, first: TensorType) -> bool:
    return first.dtype != "bool" and rng.random() < 0.5


@sampling.of_rank(1)
def _sample_index_put(rng: random.Random, first: TensorType) -> Sample:
    adds, n = _draw_accumulate(rng, first), first.shape[0]
    count = rng.choice((1, 2, 3, n)) if adds else rng.randint(1, n)
    shape = (count, *first.shape[1:])
    values = rng.choice((shape, shape, first.shape[1:], (), (count, *[1] * (first.rank - 1))))
    index = indices(rng, (count,), n, distinct_along=None if adds else 0)
    return Sample((index, Operand(TensorType(first.dtype, values))), {"accumulate": int(adds)})


def _put(x: Term, index: Term, source: Term, a: Attrs) -> Term:
    places, written = index.reshape(-1), source.reshape(-1)
    return _scattered(x.reshape(-1), places, written, 0, "add" if a["accumulate"] else "none").reshape(*x.shape)


@sampling.of_rank(0)
def _sample_put(rng: random.Random, first: TensorType) -> Sample:
    adds = _draw_accumulate(rng, first)
    shape = rng.choice(((1,), (2, 3), (5,), ())) if adds else (rng.randint(1, min(first.size, 6)),)
    index = indices(rng, shape, first.size, distinct_along=None if adds else 0)
    return Sample((index, Operand(TensorType(first.dtype, shape))), {"accumulate": int(adds)})


# --- scatter_add, scatter_reduce -------------------------------------------------------------------------------------


def _fits_scatter(s: Sequence[Dims], a: Any) -> bool:
    check_same_but(s, a.dim)
    return s[1] == s[2]


_REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min", "mean": "add"}


def _scatter_reduce(x: Term, index: Term, source: Term, a: Attrs) -> Term:
    """Without ``include_self`` an element that is written to begins with what changes nothing."""
    dim, reduce, dtype = normalize_axis(a["dim"], x.rank), a["reduce"], dtypes.to_numpy(x.dtype)
    data, hits = x, None
    if reduce == "mean" or not a["include_self"]:
        ones, zeros = (x.constant(np.full(t.shape, n, dtype)) for t, n in ((source, 1), (x, 0)))
        hits = _scattered(zeros, index, ones, dim, "add")
    if hits and not a["include_self"]:
        least, most = (-np.inf, np.inf) if x.dtype in FLOATS else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        neutral = {"prod": 1.0, "amax": least, "amin": most}.get(reduce, 0.0)
        data = where(hits > 0, x.constant(np.asarray(neutral, dtype)), x)
    result = _scattered(data, index, source, dim, _REDUCTIONS[reduce])
    if reduce != "mean":
        return result
    assert hits
    return result / (hits + 1 if a["include_self"] else hits.then("Max", 1.0))


def _sample_scatter(**choices: Sequence[Any]) -> SampleFn:
    @sampling.of_rank(1)
    def sample(rng: random.Random, first: TensorType) -> Sample:
        dim, shape = draw_elements(rng, first)
        index = Operand(TensorType("int64", tuple(shape)), (0, first.shape[dim] - 1))
        drawn = {name: rng.choice(values) for name, values in choices.items()}
        if drawn.get("reduce") == "mean" and first.dtype not in FLOATS:
            drawn["reduce"] = "sum"
        return Sample((index, Operand(TensorType(first.dtype, tuple(shape)))), {"dim": dim, **drawn})

    return sample


# --- masked_scatter, isin, bucketize ---------------------------------------------------------------------------------


def _masked_scatter(x: Term, mask: Term, source: Term, a: Attrs) -> Term:
    """The n-th element that the mask marks is the n-th of the source."""
    wide = mask.expand(*x.shape)
    numbers = wide.reshape(-1).to("int64").then("CumSum", axis=0).then("Sub", 1).then("Max", 0)
    found = source.reshape(-1).then("Gather", numbers, axis=0).reshape(*x.shape)
    return where(wide, found, x)


def _sample_masked_scatter(rng: random.Random, first: TensorType) -> Sample | None:
    if 0 in first.shape:
        return None
    mask = Operand(TensorType("bool", rng.choice((first.shape, first.shape, first.shape[1:], first.shape[-1:]))))
    source = TensorType(first.dtype, rng.choice((first.shape, (first.size,), (first.size + 2,))))
    return Sample((mask, Operand(source)))


def _isin(x: Term, tests: Term, a: Attrs) -> Term:
    same = x.unsqueeze(x.rank).equals(tests.reshape(*[1] * x.rank, -1))
    found = same.to("int32").reduce("Max", x.rank, keepdims=False).to("bool")
    return found.then("Not") if a["invert"] else found


@sampling.of_rank(0, 4)
def _sample_isin(rng: random.Random, first: TensorType) -> Sample:
    return sampling.operands(first, rng.choice(((1,), (2,), (3,), (2, 2), (16,))), invert=rng.randint(0, 1))


def _place(x: Term, a: Attrs) -> Term:
    """How many boundaries lie before each element."""
    values = x.unsqueeze(x.rank)
    line = x.constant(np.asarray(a["boundaries"]).astype(dtypes.to_numpy(x.dtype)))
    before = line <= values if a["right"] else line < values
    return before.to("int64").reduce("Sum", x.rank, keepdims=False)


def _searching(name: str, form: str) -> Op:
    def draw(rng: random.Random, first: TensorType) -> Attrs | None:
        values = [0.0, 1.0, 2.0, 4.0, *([-1.5, -0.5, 0.25] if first.dtype in FLOATS else [3.0, 7.0, 20.0])]
        chosen = tuple(sorted(rng.sample(values, rng.randint(1, 5))))
        return {"boundaries": chosen, "right": rng.randint(0, 1)} if first.rank < sampling.MAX_RANK else None

    line = "torch.tensor({boundaries}, dtype={0}.dtype, device={0}.device)"
    return Op(
        name=name,
        types={"T": (*FLOATS, "int64", "int32", "uint8")},
        results=("int64",),
        shape=lambda s, a: [s[0]],
        definition=onnx_term(_place, widen=False),
        text=spell(form.replace("BOUNDARIES", line)),
        sample=sampling.alone_with(draw),
        attrs=(Attr("boundaries", "floats"), *attributes(right=0)),
        **facts(integer_exact=True, continuous=False),
    )


OPS = (
    _writing(
        "index_add",
        _index_add,
        _sample_lines(adds=True),
        called("index_add", "{dim}, {1}, {2}, alpha={alpha}"),
        attributes(dim="int", alpha=1.0),
        types={"T": NUMERIC, "I": ("int64", "int32")},
        shape=_LINES,
        numpy=by_unsigned("index_add"),
        why_not_derived=errors.NEGATIVE_INDICES,
        **facts(modular=True, weight=0.3),
    ),
    _writing(
        "index_copy",
        lambda x, index, source, a: _at_lines(x, index, source, normalize_axis(a["dim"], x.rank)),
        _sample_lines(adds=False),
        called("index_copy", "{dim}, {1}, {2}"),
        attributes(dim="int"),
        ALL,
        shape=_LINES,
        partial=None,
        numpy=by_unsigned("index_copy"),
        why_not_derived=errors.NEGATIVE_INDICES,
        **facts(moves=True, weight=0.3),
    ),
    _writing(
        "index_fill",
        _index_fill,
        _sample_index_fill,
        called("index_fill", "{dim}, {1}, {value}"),
        (Attr("dim", "int"), Attr("value", "float", like_operand=True)),
        inputs=("T", "I"),
        shape=fitting(lambda s, a: len(s[1]) == 1 and s[0].replace(a.dim, 1)),
        partial=None,
        **facts(moves=True, filling="value_", any_number=True),
    ),
    _writing(
        "index_put",
        _index_put,
        _sample_index_put,
        called("index_put", "({1},), {2}, accumulate={is_accumulate}"),
        attributes(accumulate=0),
        shape=fitting(_fits_rows),
        **facts(modular=True),
    ),
    _writing(
        "put",
        _put,
        _sample_put,
        called("put", "{1}, {2}, accumulate={is_accumulate}"),
        attributes(accumulate=0),
        shape=fitting(lambda s, a: 0 not in s[0] and sampling.total(s[1]) == sampling.total(s[2])),
        **facts(modular=True),
    ),
    _writing(
        "scatter_add",
        lambda x, index, source, a: _scattered(x, index, source, normalize_axis(a["dim"], x.rank), "add"),
        _sample_scatter(),
        called("scatter_add", "{dim}, {1}, {2}"),
        attributes(dim="int"),
        _NUMBERS,
        shape=fitting(_fits_scatter),
        **facts(modular=True),
    ),
    _writing(
        "scatter_reduce",
        _scatter_reduce,
        _sample_scatter(reduce=tuple(_REDUCTIONS), include_self=(0, 1)),
        called("scatter_reduce", '{dim}, {1}, {2}, reduce="{reduce}", include_self={is_include_self}'),
        attributes(dim="int", reduce="string", include_self=1),
        _NUMBERS,
        shape=fitting(_fits_scatter),
        requires=lambda types, a: a["reduce"] in _REDUCTIONS and (a["reduce"] != "mean" or types[0].dtype in FLOATS),
        **facts(modular=True),
    ),
    _writing(
        "masked_scatter",
        _masked_scatter,
        _sample_masked_scatter,
        called("masked_scatter", "{1}, {2}"),
        (),
        inputs=("T", "B", "T"),
        types={"T": _WRITTEN, "B": ("bool",)},
        shape=fitting(lambda s, a: s[0].broadcast(s[1]) == s[0] and sampling.total(s[2]) >= sampling.total(s[0])),
        partial=None,
        **facts(moves=True),
    ),
    Op(
        name="isin",
        inputs=("T", "T"),
        types={"T": _NUMBERS},
        results=("bool",),
        shape=lambda s, a: [s[0]],
        definition=onnx_term(_isin, widen=False),
        text=spell("torch.isin({0}.contiguous(), {1}.contiguous(), invert={is_invert})"),
        sample=_sample_isin,
        attrs=attributes(invert=0),
        **facts(continuous=False),
    ),
    _searching("bucketize", "torch.bucketize({0}, BOUNDARIES, right={is_right})"),
    _searching("searchsorted", "torch.searchsorted(BOUNDARIES, {0}, right={is_right})"),
)
