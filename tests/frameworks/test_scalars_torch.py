"""Numbers, tensors of rank 0 and complex numbers, compared with Torch in eager mode, for values of every type."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from polyjuice.compilers import find
from polyjuice.execution.protocol import from_wire, to_wire
from polyjuice.frameworks.choosers import drawing
from polyjuice.frameworks.torch.promotion import promoted
from polyjuice.inputs import make_inputs
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.numerics import Mode, analyse, distance, judge
from polyjuice.ops import GraphBuilder, Op, TypeMismatch, infer, numbers
from polyjuice.ops.scalars import OPS
from polyjuice.ops.spec import Call
from polyjuice.pipeline import lower, target_of
from tests.support.libraries import library
from tests.support.shares import in_the_long_run

torch = library("torch")
compiler = library("polyjuice.compilers._torch")

NAMES = {op.name: op for op in OPS}

DRAWN = 4
"""How many numbers the usual tests draw for an operator and a type. The long tests draw 12."""

DIVIDING = ("floor_divide.Scalar", "remainder.Scalar", "fmod.Scalar")
"""Operators that raise an error for integers and 0."""

MODES = (Mode(), Mode(wrap=True), Mode(wrap=True, edge=True))

KNOWN = 0.4
"""The least share of results that are not masked."""


def tensor_types(op: Op) -> tuple[str, ...]:
    return op.types[op.inputs[-1]]


def all_of(dtype: str, step: int = 1) -> np.ndarray:
    """All values of the narrow types. For the others: their ends, small numbers, random numbers and special numbers.

    The 16-bit types have only one value in ``step``, and the values at the ends of each power of two.
    """
    held = dtypes.to_numpy(dtype)
    rng = np.random.default_rng(5)
    if dtype == "bool" or held.itemsize == 1:
        return np.arange(2 if dtype == "bool" else 256).astype(np.uint8).view(held)
    if held.itemsize == 2:
        bits = np.arange(2**16).astype(np.uint16)
        return bits[(bits % step == 0) | (bits % 128 == 0) | (bits % 128 == 127)].view(held)
    if dtypes.is_int(dtype):
        low, high = dtypes.exact_integers(dtype)
        ends = np.array(dtypes.boundary_integers(dtype), held)
        return np.concatenate([ends, np.arange(-50, 50).astype(held), rng.integers(low, high, 2000, held)])
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, 16777217.0, 0.1, 1.7, 3.14], held)
    return np.concatenate([special, np.arange(-300, 300) / 2, rng.normal(0, 5, 2000)]).astype(held)


def applications(op: Op, dtype: str, shape: tuple[int, ...], drawn: int) -> Iterator[tuple[Graph, str]]:
    rng = random.Random(f"{op.name} {dtype}")
    for _ in range(drawn):
        while (sample := op.sample(rng, TensorType(dtype if len(op.inputs) == 1 else "bool", shape))) is None:
            pass
        (written,) = sample.attrs.values()
        builder = GraphBuilder()
        names = [builder.input(TensorType("bool", shape))] if len(op.inputs) == 2 else []
        names.append(builder.input(TensorType(dtype, shape)))
        try:
            infer(op, [builder.types[name] for name in names], sample.attrs)
        except TypeMismatch:
            continue  # the number was drawn for a tensor of another type
        yield builder.build(builder.multi(op.name, *names, domain="aten", **sample.attrs)), written


def eagerly(op: Op, arrays: list[np.ndarray], number: int | float) -> np.ndarray:
    """The result of Torch's own overload, with the arguments in the schema's order."""
    name, _, overload = op.name.partition(".")
    called = getattr(getattr(torch.ops.aten, name), overload or "default")
    tensors = iter([compiler.tensor(to_wire(array)) for array in arrays])
    taken = [a.name for a in called._schema.arguments if not a.has_default_value()]
    result = called(*(number if argument == op.attrs[0].name else next(tensors) for argument in taken))
    return from_wire(compiler.to_array(result))


@pytest.mark.parametrize("step", [23, *in_the_long_run(1)])
@pytest.mark.parametrize("name", NAMES)
def test_eager_gives_each_overload_its_meaning(name: str, step: int) -> None:
    op = NAMES[name]
    torch.set_num_threads(1)  # more threads would mostly wait
    known = total = 0
    for dtype in tensor_types(op):
        array = all_of(dtype, step)
        masks = [np.random.default_rng(1).random(array.shape) < 0.5] if len(op.inputs) == 2 else []
        for graph, written in applications(op, dtype, array.shape, DRAWN if step > 1 else 3 * DRAWN):
            try:
                result = eagerly(op, [*masks, array], numbers.parse(written))
            except NotImplementedError as error:
                if dtype not in dtypes.WIDER_UNSIGNED or "not implemented for 'UInt" not in str(error):
                    raise
                continue
            assert graph.output_types[0].dtype == dtypes.dtype_of(result), (dtype, written)
            for mode in MODES:
                (analysis,) = analyse(graph, [*masks, array], mode=mode)
                judgement = judge(result, analysis)
                where = np.flatnonzero(judgement.wrong)[:3]
                assert not where.size, (dtype, written, mode, array[where], result[where], analysis.reference[where])
            known += int(np.isfinite(analysis.bound).sum())
            total += result.size
    assert known > KNOWN * total


@pytest.mark.parametrize("name", NAMES)
def test_zero_and_one_as_truth_values_mean_the_numbers(name: str) -> None:
    """Every position and every way of writing, beside values of every type. Torch does not subtract booleans."""
    op = NAMES[name]
    attr = op.attrs[0].name
    written = 0
    for dtype in tensor_types(op):
        array = all_of(dtype)[:300]
        condition, x = compiler.tensor(to_wire(np.arange(array.size) % 2 == 0)), compiler.tensor(to_wire(array))
        names, types = ["condition", "x"][-len(op.inputs) :], [TensorType(t, array.shape) for t in ("bool", dtype)]
        for number in ("1",) if name in DIVIDING else ("0", "1"):
            try:
                results = infer(op, types[-len(op.inputs) :], {attr: number})
            except TypeMismatch:
                continue
            call = Call(names, types[-len(op.inputs) :], results, {attr: number}, drawing(0).about("text"), str)
            texts = [call.fill(text) for text in op.texts("torch")(call)]
            truths = [text for text in texts if "True" in text or "False" in text or "torch.bool" in text]
            assert bool(truths) == (dtype != "bool" and "sub" not in name), (dtype, number, texts)
            for text in truths:
                plain = text.replace("True", "1").replace("False", "0").replace("torch.bool", "torch.int8")
                got, meant = (_result(one, condition, x.clone()) for one in (text, plain))
                assert got == meant, (dtype, text)
                written += got is not None
    assert written or "sub" in name


def _result(text: str, condition: torch.Tensor, x: torch.Tensor) -> tuple[torch.dtype, bytes] | None:
    """The type and bits of an expression's result. None if Torch lacks it for the wider unsigned types."""
    try:
        result = eval(text, {"torch": torch, "condition": condition, "x": x})
    except (NotImplementedError, RuntimeError) as error:
        if "UInt" not in str(error) and "uint16, uint32, uint64" not in str(error):
            raise
        return None
    return result.dtype, result.view(torch.uint8).numpy().tobytes()


PAIRS = [(a, b) for a, b in itertools.product(dtypes.ALL, repeat=2) if a != b]


def keeps_type(cast: str, rank: int, other: str, other_rank: int) -> bool:
    x, y = (torch.ones((2,) * r, dtype=getattr(torch, t)) for t, r in ((cast, rank), (other, other_rank)))
    try:
        return torch.result_type(x, y) == y.dtype
    except RuntimeError as error:  # the wider unsigned types and other integers have no common type
        if "Promotion for uint16, uint32, uint64 types is not supported" not in str(error):
            raise
        return False


@pytest.mark.parametrize(("rank", "other_rank"), [(1, 0), (0, 1), (0, 0), (2, 1)])
def test_a_cast_is_left_out_only_where_torch_makes_it(rank: int, other_rank: int) -> None:
    left_out = [(a, b) for a, b in PAIRS if promoted(TensorType(a, (2,) * rank), TensorType(b, (2,) * other_rank))]
    assert left_out
    for a, b in left_out:
        assert keeps_type(a, rank, b, other_rank), (a, b)


def test_beside_a_tensor_of_rank_0_only_casts_that_round_stay() -> None:
    kept = {(a, b) for a, b in PAIRS if keeps_type(a, 0, b, 1) and not promoted(TensorType(a, ()), TensorType(b, (2,)))}
    halves = ("float16", "bfloat16")
    assert kept == {(a, b) for a in ("int16", "int32", "int64", *dtypes.WIDER_UNSIGNED) for b in halves} | {
        (a, b)
        for a in dtypes.FLOATS
        for b in dtypes.FLOATS
        if (b in halves or (a, b) == ("float64", "float32")) and a != b
    }


@pytest.mark.parametrize("compiled", [False, *in_the_long_run(True)])
def test_conjugates_and_parts_have_their_values(compiled: bool) -> None:
    build = GraphBuilder()
    z, x = build.input(TensorType("complex64", (3, 4))), build.input(TensorType("float32", (3, 4)))
    conj = build.op("conj", z, domain="aten")
    product = build.op("mul.complex", conj, build.op("complex", x, x, domain="aten"), domain="aten")
    moved = build.op("Transpose", product, perm=(1, 0))
    graph = build.build([conj, build.op("imag", conj, domain="aten"), moved, build.op("abs.complex", z, domain="aten")])
    inputs = make_inputs(graph, "normal", 0)
    artifact = lower(graph, "k", target_of(find("eager"), 0))
    assert isinstance(artifact.source, str)
    names: dict[str, object] = {}
    exec(artifact.source, names)
    model = names["Model"]({})  # type: ignore[operator]
    run = torch.compile(model) if compiled else model
    with torch.no_grad():
        outputs = [compiler.to_array(y)[1] for y in run(*map(torch.from_numpy, inputs))]
    for made, analysis in zip(outputs, analyse(graph, inputs), strict=True):
        assert (distance(made, analysis.reference) <= 2 * analysis.bound).all()
