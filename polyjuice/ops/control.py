"""Control flow: operators with other graphs as attributes.

A subgraph takes the operands as inputs. The body of a Loop also takes the iteration's number, last, and that of a Scan
takes slices of the operands that it scans. A subgraph names no outer values: the captures of ONNX's subgraphs are
operands here. With known operands an application unrolls to a plain graph (`Unrolled`), which the interpreter and
the analysis of errors use.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from polyjuice.ir import Attrs, Graph, TensorType, prune
from polyjuice.ir.dtypes import ALL
from polyjuice.ir.names import renamed, union
from polyjuice.ops import sampling
from polyjuice.ops.build import GraphBuilder
from polyjuice.ops.decompose import NoDecomposition, with_texts
from polyjuice.ops.registry import TABLE, entry
from polyjuice.ops.shapes import Dims, ShapeMismatch, require
from polyjuice.ops.spec import (
    ANY,
    Attr,
    Call,
    Op,
    Operand,
    Sample,
    SpellFn,
    Unrolled,
    Unsupported,
    attributes,
    facts,
)
from polyjuice.ops.text import filled, spell

#: A Loop of more iterations is not unrolled, and stays opaque.
MAX_TRIPS = 32

ITERATION = TensorType("int64", ())
"""The type of the number of an iteration."""

_LARGEST_CONSTANT = 64
"""Larger constants are not written out inside an expression."""


def _result_shapes(graph: Graph) -> list[Dims]:
    return [Dims(t.shape) for t in graph.output_types]


# --- If --------------------------------------------------------------------------------------------------------------


def _if_shape(s: Sequence[Any], a: Any) -> Sequence[Dims]:
    branches = (a.then_branch, a.else_branch)
    if sampling.total(s[0]) != 1 or any(len(branch.inputs) != len(s) for branch in branches):
        raise ShapeMismatch("If: a condition of several elements, or branches that take other operands")
    if branches[0].output_types != branches[1].output_types:
        raise ShapeMismatch("If: branches of different types")
    return _result_shapes(a.then_branch)


def _taken(x: Sequence[np.ndarray], a: Attrs) -> Graph:
    branch: Graph = a["then_branch"] if x[0].reshape(()) else a["else_branch"]
    return branch


# --- Loop ------------------------------------------------------------------------------------------------------------


def _loop_shape(s: Sequence[Any], a: Any) -> Sequence[Dims]:
    body: Graph = a.body
    carried = len(body.outputs)
    if body.output_types != body.input_types[:carried] or body.input_types[len(s) :] != (ITERATION,):
        raise ShapeMismatch("Loop: a body whose results are not of the types of what it takes")
    if not 0 <= a.M <= MAX_TRIPS:
        raise ShapeMismatch(f"Loop: {a.M} iterations")
    return _result_shapes(body)


def unrolled_loop(x: Sequence[np.ndarray], a: Attrs) -> Graph:
    """The body once for each iteration, each on the results of the one before."""
    body: Graph = a["body"]
    *operands, number = body.inputs
    carried, state = len(body.outputs), operands
    trips = []
    for trip in range(a["M"]):
        names = {"": "", **{name: f"{name}@{trip}" for name in body.types}, **dict(zip(operands, state, strict=True))}
        part = renamed(body, names)
        trips.append(replace(part, constants={**part.constants, names[number]: np.array(trip, np.int64)}))
        state = [*part.outputs, *operands[carried:]]
    whole = union([replace(body, constants={}, nodes=(), types={t: body.types[t] for t in operands}), *trips])
    return prune(replace(whole, inputs=tuple(operands), outputs=tuple(state[:carried])))


# --- Scan ------------------------------------------------------------------------------------------------------------


def scanned(a: Attrs) -> range:
    """The places of the scanned operands, between the carried ones and those that the body captures."""
    carried = len(a["body"].outputs) - len(a["scan_output_axes"])
    return range(carried, carried + len(a["scan_input_axes"]))


def trips(a: Attrs, shapes: Sequence[Sequence[int]]) -> int:
    """The number of iterations of a node of control flow on operands of these shapes."""
    if "scan_input_axes" in a:
        return int(shapes[scanned(a)[0]][a["scan_input_axes"][0]])
    return int(a.get("M", 1))


def _stacked(t: TensorType, axis: int, count: int) -> TensorType:
    return TensorType(t.dtype, (*t.shape[:axis], count, *t.shape[axis:]))


def _fits_scan(types: Sequence[TensorType], a: Attrs) -> bool:
    body, places, axes = a["body"], scanned(a), a["scan_input_axes"]
    if not (
        places and places.start >= 0 and len(body.inputs) == len(types) and len(a["scan_input_directions"]) == len(axes)
    ):
        return False
    count, wanted = trips(a, [t.shape for t in types]), list(body.input_types)
    for place, axis in zip(places, axes, strict=True):
        wanted[place] = _stacked(wanted[place], axis, count)
    carries = body.output_types[: places.start] == body.input_types[: places.start]
    return carries and 0 < count <= MAX_TRIPS and wanted == list(types)


def _scan_shape(s: Sequence[Any], a: Any) -> Sequence[Dims]:
    outputs, ends = a.body.output_types, a.scan_output_axes
    require(len(ends) == len(a.scan_output_directions))
    carried, count = len(outputs) - len(ends), s[len(outputs) - len(ends)][a.scan_input_axes[0]]
    collected = [_stacked(t, axis, count) for t, axis in zip(outputs[carried:], ends, strict=True)]
    return [Dims(t.shape) for t in (*outputs[:carried], *collected)]


def unrolled_scan(x: Sequence[np.ndarray], a: Attrs) -> Graph:
    """The body once for each slice of the scanned operands; what it computes beside the state is stacked."""
    return _unrolled_scan(a, trips(a, [v.shape for v in x]))


def _unrolled_scan(a: Attrs, count: int) -> Graph:
    body, places = a["body"], scanned(a)
    builder = GraphBuilder(body.opsets)
    axes = dict(zip(places, zip(a["scan_input_axes"], a["scan_input_directions"], strict=True), strict=True))
    types = [_stacked(t, axes[i][0], count) if i in axes else t for i, t in enumerate(body.input_types)]
    operands = [builder.input(t) for t in types]
    state: Sequence[str] = operands[: places.start]
    collected: list[Sequence[str]] = []
    for trip in range(count):
        slices = []
        for place, (axis, backwards) in axes.items():
            index = builder.constant(np.array(count - 1 - trip if backwards else trip, np.int64))
            slices.append(builder.op("Gather", operands[place], index, axis=axis))
        names = dict(zip(body.inputs, [*state, *slices, *operands[places.stop :]], strict=True))
        names |= {"": "", **{name: builder.constant(array) for name, array in body.constants.items()}}
        for node in body.nodes:
            inputs = [names[name] for name in node.inputs]
            results = builder.apply(
                node.op, node.domain, inputs, node.attrs, [body.types[n] for n in node.outputs if n]
            )
            names.update(zip(filter(None, node.outputs), results, strict=True))
        outputs = [names[name] for name in body.outputs]
        state, collected = outputs[: places.start], [*collected, outputs[places.start :]]
    stacks = []
    for axis, backwards, parts in zip(
        a["scan_output_axes"], a["scan_output_directions"], zip(*collected, strict=True), strict=True
    ):
        lines = [builder.op("Unsqueeze", part, axes=(axis,)) for part in parts]
        stacks.append(builder.op("Concat", *(lines[::-1] if backwards else lines), axis=axis))
    return builder.build([*state, *stacks])


# --- texts -----------------------------------------------------------------------------------------------------------


class Language(NamedTuple):
    """A framework's Python: an array of ``{0}`` with the element type ``{1}``, a scalar, and the selecting function."""

    framework: str
    array: str
    scalar: str
    where: str


_TORCH = Language("torch", "torch.tensor({0}, dtype=torch.{1})", "{0}.reshape(())", "torch.where")
_TENSORFLOW = Language("tensorflow", "tf.constant({0}, dtype=tf.{1})", "tf.reshape({0}, [])", "tf.where")
_JAX = Language("jax", "jnp.array({0}, dtype=jnp.{1})", "{0}.reshape(())", "jnp.where")


class _Unspelled(Exception):
    """An operator or a constant of a subgraph has no text; the message says why."""


def _number_text(language: Language, array: np.ndarray, t: TensorType) -> str:
    if array.size > _LARGEST_CONSTANT or not np.all(np.isfinite(array.astype(np.float64))):
        raise _Unspelled("a constant that is not written inside an expression")
    if 0 in t.shape:
        raise _Unspelled("a constant without elements")
    return language.array.format(array.tolist(), t.dtype)


def body_text(
    c: Call, language: Language, graph: Graph, operands: Sequence[str], let: Callable[[str], str]
) -> list[str]:
    """The outputs of a subgraph on named operands; ``let`` binds every node's result to a name.

    Raises _Unspelled.
    """
    try:
        graph = with_texts(graph, lambda op: op.texts(language.framework))
    except NoDecomposition as why:
        raise _Unspelled(str(why)) from None
    names = dict(zip(graph.inputs, operands, strict=True))
    for name, array in graph.constants.items():
        names[name] = let(_number_text(language, array, graph.types[name]))
    for node in graph.nodes:
        op = entry(node)
        if op is None:
            raise _Unspelled(f"{node.qualified} is opaque")
        texts, x = op.texts(language.framework), [name for name in node.inputs if name]
        types, results = ([graph.types[name] for name in side if name] for side in (x, node.outputs))
        if isinstance(texts, tuple):
            texts = tuple(template for template in texts if "_(" not in template)
        text = filled(Call([names[name] for name in x], types, results, node.attrs, c.draws, let), texts)
        if isinstance(text, Unsupported):
            raise _Unspelled(f"{node.qualified}: {text.reason}")
        bound = let(text)
        single = len(node.outputs) == 1 and "results" not in op.variadic
        names.update({name: bound if single else f"{bound}[{i}]" for i, name in enumerate(node.outputs) if name})
    return [names[name] for name in graph.outputs]


def tuple_text(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)},)"


def lambda_text(
    c: Call,
    language: Language,
    parameters: Sequence[str],
    graph: Graph,
    operands: Sequence[str],
    before: Sequence[str] = (),
    result: str = "{}",
) -> str:
    """A subgraph as a lambda that binds its intermediate values by assignment expressions. Raises _Unspelled.

    It returns the values in ``before``, then its results, each put into the template ``result``. Names inside have a
    prefix that no value of a model has.
    """
    steps: list[str] = []

    def let(text: str) -> str:
        steps.append(f"(local_step_{len(steps)} := {text})")
        return f"local_step_{len(steps) - 1}"

    results = [result.format(name) for name in body_text(c, language, graph, operands, let)]
    return f"lambda {', '.join(parameters)}: {tuple_text([*steps, tuple_text([*before, *results])])}[-1]"


def parameter_names(count: int) -> list[str]:
    return [f"local_{i}_" for i in range(count)]


def _spelled(spell: Callable[[Call], str]) -> Callable[[Call], str | Unsupported]:
    def guarded(c: Call) -> str | Unsupported:
        try:
            return spell(c)
        except _Unspelled as why:
            return Unsupported(str(why))

    return guarded


_BRANCHES = ("then_branch", "else_branch")


def _if(language: Language, chance: float, conditional: Callable[[Call, str], str]) -> SpellFn:
    """A conditional, or both branches computed and their results selected."""

    @_spelled
    def text(c: Call) -> str:
        condition = language.scalar.format(c.x[0])
        if c.draws.chance(chance):
            return conditional(c, condition)
        results = [body_text(c, language, c.attrs[branch], c.x, c.let) for branch in _BRANCHES]
        return tuple_text([f"{language.where}({condition}, {a}, {b})" for a, b in zip(*results, strict=True)])

    return text


def _branches(c: Call, language: Language, parameters: Sequence[str], operands: Sequence[str], new: str = "{}") -> str:
    """Both branches as lambdas."""
    lambdas = (lambda_text(c, language, parameters, c.attrs[branch], operands, (), new) for branch in _BRANCHES)
    return ", ".join(lambdas)


def _if_torch(c: Call, condition: str) -> str:
    """torch.cond, whose branches must return new tensors of one layout."""
    names = parameter_names(len(c.x))
    branches = _branches(c, _TORCH, names, names, "{}.clone(memory_format=torch.contiguous_format)")
    return f"torch.cond({condition}, {branches}, {tuple_text(c.x)})"


def _loop(language: Language, loop: Callable[[Call, int], str] | None = None) -> SpellFn:
    """A loop that carries some number of values, or its iterations written out."""

    @_spelled
    def text(c: Call) -> str:
        if loop is None or c.draws.chance(0.3):
            return tuple_text(body_text(c, language, unrolled_loop((), c.attrs), c.x, c.let))
        return loop(c, len(c.attrs["body"].outputs))

    return text


def _loop_tensorflow(c: Call, carried: int) -> str:
    trip, *names = parameter_names(carried + 1)
    ahead = f"lambda {', '.join((trip, *names))}: {trip} < {c.attrs['M']}"
    operands = [*names, *c.x[carried:], trip]
    step = lambda_text(c, _TENSORFLOW, (trip, *names), c.attrs["body"], operands, before=(f"{trip} + 1",))
    start = f"(tf.constant(0, dtype=tf.int64), {', '.join(c.x[:carried])})"
    return f"tuple(tf.while_loop({ahead}, {step}, {start})[1:])"


def _loop_jax(c: Call, carried: int) -> str:
    trip, state = parameter_names(2)
    operands = [*(f"{state}[{i}]" for i in range(carried)), *c.x[carried:], trip]
    step = lambda_text(c, _JAX, (trip, state), c.attrs["body"], operands)
    return f"lax.fori_loop(jnp.int64(0), jnp.int64({c.attrs['M']}), {step}, {tuple_text(c.x[:carried])})"


def _scan(language: Language, transpose: str = "", scan: Callable[[Call, str, str, str], str] | None = None) -> SpellFn:
    """A scan along the first axes, to which others are moved, or its iterations written out.

    ``scan`` says the states and stacked values from the body's function, the scanned operands, and the states.
    """

    @_spelled
    def text(c: Call) -> str:
        a, places = c.attrs, scanned(c.attrs)
        if scan is None or c.draws.chance(0.3):
            graph = _unrolled_scan(a, trips(a, [t.shape for t in c.types]))
            return tuple_text(body_text(c, language, graph, c.x, c.let))
        state, slices = parameter_names(2)
        operands = [*(f"{state}[{i}]" for i in range(places.start)), *(f"{slices}[{i}]" for i in range(len(places)))]
        step = lambda_text(c, language, (state, slices), a["body"], [*operands, *c.x[places.stop :]])
        elements = []
        for place, axis, backwards in zip(places, a["scan_input_axes"], a["scan_input_directions"], strict=True):
            rest = [i for i in range(c.types[place].rank) if i != axis]
            moved = f"{transpose}({c.x[place]}, {[axis, *rest]})" if axis else c.x[place]
            elements.append(moved + "[::-1]" * backwards)
        whole = c.let(scan(c, step, tuple_text(elements), tuple_text(c.x[: places.start])))
        results = [f"{whole}[0][{i}]" for i in range(places.start)]
        for i, (axis, backwards) in enumerate(zip(a["scan_output_axes"], a["scan_output_directions"], strict=True)):
            value, rank = f"{whole}[1][{i}]" + "[::-1]" * backwards, c.results[places.start + i].rank
            order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
            results.append(f"{transpose}({value}, {order})" if axis else value)
        return tuple_text(results)

    return text


def _scan_jax(c: Call, step: str, elements: str, states: str) -> str:
    carried, pair = scanned(c.attrs).start, parameter_names(2)
    split = f"(lambda local_all_: (local_all_[:{carried}], local_all_[{carried}:]))"
    return f"lax.scan(lambda {', '.join(pair)}: {split}(({step})({', '.join(pair)})), {states}, {elements})"


def _scan_tensorflow(c: Call, step: str, elements: str, states: str) -> str:
    """tf.scan, which stacks all that it carries; the first of the values that the body stacks are zeros."""
    carried = scanned(c.attrs).start
    outputs = c.attrs["body"].output_types[carried:]
    zeros = [f"tf.zeros({t.shape}, tf.{t.dtype})" for t in outputs]
    last = f"(lambda local_all_: ([local_v_[-1] for local_v_ in local_all_[:{carried}]], local_all_[{carried}:]))"
    return f"{last}(tf.scan({step}, {elements}, (*{states}, {' '.join(f'{zero},' for zero in zeros)})))"


# --- sampling --------------------------------------------------------------------------------------------------------

_UNARY = ("Neg", "Abs", "Not", "Identity")
_BINARY = ("Add", "Sub", "Mul", "Max", "Min", "And", "Or")


def _small_graph(
    rng: random.Random, operands: Sequence[TensorType], pool: range, extra: Sequence[TensorType], results: int = 1
) -> Graph:
    """A few elementwise operators on the operands in the pool; these and the results have one type.

    Every operand is read, because a subgraph in a file only has the inputs that it captures.
    """
    dtype = operands[pool[0]].dtype
    unary, binary = ([name for name in names if TABLE["", name].accepts(0, dtype)] for names in (_UNARY, _BINARY))
    builder = GraphBuilder()
    names = [builder.input(t) for t in (*operands, *extra)]
    values = [names[i] for i in pool]
    if len(values) > 1:
        values.append(reduce(lambda x, y: builder.op(rng.choice(binary), x, y), values))
    for _ in range(rng.randint(1, 2)):
        if rng.random() < 0.7:
            pair = (values[-1], rng.choice(values))
            values.append(builder.op(rng.choice(binary), *rng.sample(pair, 2)))
        else:
            values.append(builder.op(rng.choice(unary), values[-1]))
    return builder.build(values[-results:])


_DTYPES = ("float32", "float32", "float64", "float16", "int32", "int64", "bool")


def _sample_if(rng: random.Random, first: TensorType) -> Sample | None:
    if first.size != 1 or first.rank > 1:
        return None
    t = TensorType(rng.choice(_DTYPES), tuple(sampling.size(rng) for _ in range(rng.randint(0, 3))))
    operands = (first, *(t,) * rng.randint(1, 2))
    branches = [_small_graph(rng, operands, range(1, len(operands)), ()) for _ in range(2)]
    return Sample(tuple(map(Operand, operands[1:])), dict(zip(("then_branch", "else_branch"), branches, strict=True)))


def _sample_loop(rng: random.Random, first: TensorType) -> Sample:
    """One carried value, and perhaps one that the body only reads."""
    operands = (first,) * rng.randint(1, 2)
    body = _small_graph(rng, operands, range(len(operands)), (ITERATION,))
    return Sample(tuple(map(Operand, operands[1:])), {"M": rng.choice((0, 1, 2, 3)), "body": body})


def _sample_scan(rng: random.Random, first: TensorType) -> Sample:
    """One carried value, one or two scanned ones, and perhaps one that the body only reads."""
    inputs, outputs, captured, count = rng.randint(1, 2), rng.randint(0, 1), rng.randint(0, 1), rng.randint(1, 4)
    axes, ends = (tuple(rng.choice((0, 0, first.rank)) for _ in range(n)) for n in (inputs, outputs))
    body = _small_graph(rng, (first,) * (1 + inputs + captured), range(1 + inputs + captured), (), 1 + outputs)
    types = (*(_stacked(first, axis, count) for axis in axes), *[first] * captured)
    return Sample(
        tuple(map(Operand, types)),
        {
            "scan_input_axes": axes,
            "scan_input_directions": tuple(rng.choice((0, 0, 1)) for _ in axes),
            "scan_output_axes": ends,
            "scan_output_directions": tuple(rng.choice((0, 0, 1)) for _ in ends),
            "num_scan_inputs": inputs,
            "body": body,
        },
    )


def _control(name: str, meaning: Unrolled, **fields: Any) -> Op:
    return Op(name=name, numpy=meaning, error=meaning, variadic="operands results", integer_exact=True, **fields)


OPS: tuple[Op, ...] = (
    _control(
        "If",
        Unrolled(_taken, controls=1),
        inputs=("B", ANY),
        types={"B": ("bool",), ANY: ALL},
        results=("@then_branch",),
        shape=_if_shape,
        text=spell(
            _if(_TORCH, 0.5, _if_torch),
            _if(_TENSORFLOW, 0.7, lambda c, test: f"tuple(tf.cond({test}, {_branches(c, _TENSORFLOW, (), c.x)}))"),
            _if(_JAX, 0.7, lambda c, test: f"lax.cond({test}, {_branches(c, _JAX, (), c.x)})"),
        ),
        sample=_sample_if,
        attrs=attributes(then_branch="graph", else_branch="graph"),
        **facts(min_inputs=1, continuous=False, weight=4.0),
    ),
    _control(
        "Loop",
        Unrolled(unrolled_loop),
        inputs=(ANY,),
        types={ANY: ALL},
        results=("@body",),
        shape=_loop_shape,
        text=spell(_loop(_TORCH), _loop(_TENSORFLOW, _loop_tensorflow), _loop(_JAX, _loop_jax)),
        sample=_sample_loop,
        attrs=(Attr("M", "int", as_input=True, scalar=True, place=0), Attr("body", "graph")),
        weight=0.3,
    ),
    _control(
        "Scan",
        Unrolled(unrolled_scan),
        inputs=(ANY,),
        types={ANY: ALL},
        results=("@body",),
        shape=_scan_shape,
        requires=_fits_scan,
        text=spell(
            _scan(_TORCH),
            _scan(_TENSORFLOW, "tf.transpose", _scan_tensorflow),
            _scan(_JAX, "jnp.transpose", _scan_jax),
        ),
        sample=_sample_scan,
        attrs=attributes(
            scan_input_axes="ints",
            scan_input_directions="ints",
            scan_output_axes="ints",
            scan_output_directions="ints",
            num_scan_inputs="int",
            body="graph",
        ),
        weight=0.4,
    ),
)
