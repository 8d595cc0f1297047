"""Torch modules as seeds: every mapping against Torch itself, opaque operators, and the refusal of bad sources."""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto

from polyjuice import frameworks
from polyjuice.campaign.seeds import Seeds
from polyjuice.compilers import find
from polyjuice.execution import Worker
from polyjuice.frameworks import callables
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx.graph_files import from_model, to_model
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, digest
from polyjuice.numerics import Mode, analyse, judge
from tests.support.libraries import library

torch = library("torch")
F = library("torch.nn.functional")
modules = library("tests.support.torch_modules")
torch_export = library("polyjuice.frameworks.torch.export")
torch_program = library("polyjuice.frameworks.torch.user_program")

Array = np.ndarray


def read(function: Callable[..., object], *inputs: Array) -> Graph:
    return torch_export.from_module(modules.Function(function).eval(), tuple(map(torch.tensor, inputs)))


def floats(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


def integers(*shape: int, low: int = -4, high: int = 5) -> Array:
    return np.random.default_rng(sum(shape)).integers(low, high, shape)


X, Y, V, I = floats(2, 3, 4), floats(2, 3, 4), floats(4), integers(2, 3)
IMAGE = floats(2, 4, 6, 6)

MAPPED: dict[str, tuple[Callable[..., object], tuple[Array, ...]]] = {
    "scalars": (lambda x: (2 * x + 1 - x / 3, 1 - x, x**2, x**3, x.abs() ** 1.5, 2.0**x), (X,)),
    "alpha": (lambda x, y: (torch.add(x, y, alpha=2), torch.sub(x, y, alpha=3)), (X, Y)),
    "promotion": (lambda x, i: (x[0] * i.float().T[:1, :1], i / 2, i * 1.5, i + x[:, :, 0], i * 2), (X, I)),
    "truth": (
        lambda x, y: ((x > 0) & (y > 0), (x > 0) | ~(y > 0), (x > 0) ^ (y <= x), x != y, (x > 0) == (y > 0)),
        (X, Y),
    ),
    "numbers and tensors of rank 0 before a tensor": (
        lambda x, i: (
            torch.tensor(2.5) * i,
            torch.tensor(0.1, dtype=torch.float64) - x,
            torch.tensor(300) - i.to(torch.int8),
            torch.copysign(torch.tensor(2.0), x),
            2 << i.abs(),
            torch.bitwise_and(3, i),
            torch.xlogy(2.0, x.abs()),
        ),
        (X, I),
    ),
    "powers of integers and of 2": (
        lambda x, i: (i**2, i**5, torch.ldexp(x, i[:, :, None]), torch.ldexp(x, x)),
        (X, I),
    ),
    "shuffled channels and a new diagonal": (
        lambda x: (F.channel_shuffle(x, 2), torch.diagonal_scatter(x, x[:, :, :, 0], 1, 2, 3)[:1]),
        (floats(1, 4, 5, 6),),
    ),
    "maxima of volumes": (lambda x: F.adaptive_max_pool3d(x, (2, 1, 2)), (floats(1, 2, 3, 4, 3),)),
    "comparisons of integers": (lambda i: (i < 2, i >= 0.5, i == i.flip(0), i != 1), (I,)),
    "unary": (
        lambda x: (x.exp(), x.sin(), x.cos(), x.tanh(), x.sigmoid(), x.erf(), x.floor(), x.ceil(), x.sign()),
        (X,),
    ),
    "of positive numbers": (lambda x: (x.abs().sqrt(), (x.abs() + 1).log(), (x.abs() + 1).rsqrt()), (X,)),
    "activations": (
        lambda x: (F.relu(x), F.silu(x), F.leaky_relu(x, 0.1), F.elu(x, 0.5), F.hardtanh(x), F.relu6(x)),
        (X,),
    ),
    "gelu": (lambda x: (F.gelu(x), F.gelu(x, approximate="tanh")), (X,)),
    "clamp": (lambda x, y: (x.clamp(-0.5, 0.5), x.clamp(min=0), x.clamp(max=y), x.clamp(y - 1, y + 1)), (X, Y)),
    "where": (lambda x, y: (torch.where(x > 0, x, y), torch.where(x > 0, x, 0.0), x.masked_fill(y > 0, -1.0)), (X, Y)),
    "sums": (
        lambda x, i: (x.sum(), x.sum(1), x.mean((0, -1), keepdim=True), x.mean(), i.sum(), (x > 0).sum(-1)),
        (X, I),
    ),
    "extremes": (lambda x: (x.amax(1), x.amin((0, 2), keepdim=True), x.max(), x.max(1)[0], *x.min(-1)), (X,)),
    "variance": (lambda x: (x.var(1), x.var((0, 2), correction=0, keepdim=True), x.std(-1)), (X,)),
    "any and all": (lambda x: ((x > 1).any(), (x > -1).all(1), (x > 0).any(2, keepdim=True)), (X,)),
    "places": (lambda x: (x.argmax(1), x.argmin(-1, keepdim=True), x.argmax()), (X,)),
    "softmax": (lambda x: (x.softmax(1), x.log_softmax(-1), x.logsumexp(1)), (X,)),
    "products": (
        lambda x, y: (x @ y.transpose(1, 2), x[0] @ y[1].T, x[0] @ y[0, 0], torch.baddbmm(x[:, :, :3], x, y.mT)),
        (X, Y),
    ),
    "linear": (
        lambda x, w, b: (F.linear(x, w), F.linear(x, w, b), torch.addmm(b, x[0], w.T, alpha=2, beta=0.5)),
        (X, floats(5, 4), floats(5)),
    ),
    "einsum": (lambda x, y: torch.einsum("bij,bkj->bik", x, y), (X, Y)),
    "convolution": (
        lambda x, w, b: (F.conv2d(x, w, b, 2, 1), F.conv2d(x, w[:, :2], groups=2, dilation=2)),
        (IMAGE, floats(6, 4, 3, 3), floats(6)),
    ),
    "convolution of a line": (lambda x, w: F.conv1d(x, w, stride=2, padding=1), (floats(1, 3, 8), floats(2, 3, 3))),
    "transposed convolution": (
        lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1),
        (IMAGE, floats(4, 2, 3, 3)),
    ),
    "pooling": (
        lambda x: (
            F.max_pool2d(x, 2),
            F.max_pool2d(x, 3, 2, 1),
            F.avg_pool2d(x, 2),
            F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        ),
        (IMAGE,),
    ),
    "adaptive pooling": (lambda x: (F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (3, 2))), (IMAGE,)),
    "batch normalization": (lambda x, m, v: F.batch_norm(x, m, v.abs() + 1), (IMAGE, V, floats(4))),
    "layer normalization": (
        lambda x, w, b: (F.layer_norm(x, (4,), w, b), F.layer_norm(x, (3, 4)), F.layer_norm(x, (4,), w)),
        (X, V, floats(4)),
    ),
    "group normalization": (lambda x, w, b: (F.group_norm(x, 2, w, b), F.group_norm(x, 4)), (IMAGE, V, floats(4))),
    "attention": (
        lambda q, k, m: (
            F.scaled_dot_product_attention(q, k, k),
            F.scaled_dot_product_attention(q, k, k, is_causal=True),
            F.scaled_dot_product_attention(q, k, k, m > -9, scale=0.5),
        ),
        (floats(1, 2, 3, 4), floats(1, 2, 3, 4), floats(3, 3)),
    ),
    "attention under a known mask": (
        lambda q: F.scaled_dot_product_attention(q, q, q, torch.ones(3, 3).tril().bool()),
        (floats(1, 2, 3, 4),),
    ),
    "shapes": (
        lambda x: (
            x.reshape(6, 4),
            x.view(-1),
            x.permute(2, 0, 1),
            x.transpose(0, -1),
            x.unsqueeze(-1),
            x[:, :1].squeeze(1),
            x.flatten(1),
        ),
        (X,),
    ),
    "expansion": (
        lambda x: (x[:1].expand(5, 3, 4), x[:, :1].expand(2, 3, -1), x.repeat(2, 1, 3), x.repeat(2, 1, 1, 1)),
        (X,),
    ),
    "slices": (lambda x: (x[:, 1:], x[..., ::2], x[-1], x[:, 0, 1:3], x[1:, -2:], x.narrow(2, 1, 2)), (X,)),
    "joins": (lambda x, y: (torch.cat([x, y], 1), torch.stack([x, y]), torch.cat([x[0], y[1], x[1]], -1)), (X, Y)),
    "parts": (lambda x: (*x.split(2, 2), *x.split([1, 2], 1), *x.chunk(2, -1), *x.unbind(0)), (X,)),
    "padding": (lambda x: (F.pad(x, (1, 2)), F.pad(x, (0, 1, 2, 0), value=3.0)), (X,)),
    "triangles": (lambda x: (x.tril(), x.triu(1)), (X,)),
    "embedding": (lambda i, w: F.embedding(i, w), (integers(2, 3, low=0), floats(6, 4))),
    "indices": (lambda x, i: (x[:, i[0] % 3], x.index_select(2, i[0] % 4), x.gather(2, i[:, :, None] % 4)), (X, I)),
    "several indices": (
        lambda x, i: (
            x[i[0] % 2, i[1] % 3],
            x[:, i[:, :2] % 3, i[:, 1:] % 4],
            x[i[0] % 2, :, i[1] % 4],
            x[i % 2, torch.arange(3)],
        ),
        (X, I),
    ),
    "positions": (
        lambda x: (x + torch.arange(4), x * torch.full_like(x, 2), torch.zeros_like(x) + x, x.new_ones(3)[:, None] * x),
        (X,),
    ),
    "remainders": (lambda x, i: (i % 3, torch.fmod(x, 0.7), torch.fmod(i, 3)), (X, I)),
    "scans": (lambda x: x.cumsum(1), (X,)),
    "types": (lambda x, i: (x.double(), x.half(), i.float(), x.long(), i.bool(), (x > 0).float()), (X, I)),
    "copies": (
        lambda x: (x.clone() + 1, x.contiguous() * 2, F.dropout(x, 0.5, training=False) + 3, x.detach() - 1),
        (X,),
    ),
    "pixels": (lambda x: F.pixel_shuffle(x, 2), (IMAGE,)),
}


@pytest.mark.parametrize(
    "kinds", [list(MAPPED), *(pytest.param([kind], marks=pytest.mark.long) for kind in MAPPED)], ids=["all", *MAPPED]
)
def test_operators_mean_in_the_table_what_they_mean_in_torch(kinds: list[str]) -> None:
    """One module holds all operators, because exporting many takes hardly longer than exporting one."""
    inputs = [array for kind in kinds for array in MAPPED[kind][1]]

    def functions(*tensors: torch.Tensor) -> tuple[object, ...]:
        left = iter(tensors)
        return tuple(MAPPED[kind][0](*itertools.islice(left, len(MAPPED[kind][1]))) for kind in kinds)

    graph = read(functions, *inputs)
    assert not [str(node) for node in graph.nodes if node.opaque]
    expected = [
        (kind, result)
        for kind, results in zip(kinds, functions(*map(torch.tensor, inputs)), strict=True)
        for result in (results if isinstance(results, tuple) else [results])
    ]
    for a, (kind, e) in zip(evaluate(graph, inputs), expected, strict=True):
        assert (a.shape, str(a.dtype)) == (tuple(e.shape), str(e.dtype).removeprefix("torch.")), kind
        np.testing.assert_allclose(a, e.numpy(), rtol=2e-5, atol=2e-6, err_msg=kind)


def test_what_depends_on_no_input_and_no_parameter_is_a_constant() -> None:
    module = torch.nn.Linear(4, 4)
    module.register_buffer("table", torch.arange(8.0).reshape(2, 4))
    kept = modules.Function(lambda x: module(x) + (module.table * 2).sum(0) + torch.arange(4).float())
    kept.add_module("inner", module)
    graph = torch_export.from_module(kept, (torch.ones(2, 4),))
    assert sorted(node.op for node in graph.nodes) == ["Add", "Add", "linear"]
    assert sorted(array.shape for array in graph.constants.values()) == [(4,), (4,), (4,), (4, 4)]
    ordered = read(lambda a, b, c: c - a, X, I, Y)
    assert [t.dtype for t in ordered.input_types] == ["float32", "int64", "float32"], "unused inputs stay"
    np.testing.assert_array_equal(evaluate(ordered, [X, I, Y])[0], Y - X)


# --- opaque nodes -----------------------------------------------------------------------------------------------------


@cache
def opaque_graph() -> Graph:
    """Two outputs of one operator, a list of results, arguments of many kinds, and no random operator."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values, _ = torch.ops.aten.sort.stable(x, stable=True, dim=-1, descending=True)
        q, r = torch.linalg.qr(values[0])
        (part,) = torch.tensor_split(r, 1)
        return torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0])), q @ part, torch.nan_to_num(x, posinf=float("inf"))

    return read(function, X)


def test_operators_that_the_table_lacks_survive_in_files() -> None:
    graph = opaque_graph()
    assert {node.domain for node in graph.nodes if node.opaque} == {"aten"}
    again = from_model(ModelProto.FromString(to_model(graph).SerializeToString()))
    assert digest(again) == digest(graph)
    assert again.nodes == graph.nodes


def test_operators_that_the_table_lacks_survive_to_the_compiler() -> None:
    graph = opaque_graph()
    artifact = lower(graph, "torch", 0)
    assert "torch.ops.aten." in str(artifact.source)
    with Worker(find("eager")) as worker:
        outcome = worker.execute(artifact, [[X]])
    assert outcome.status == "ok", outcome.message
    values = np.sort(X, axis=-1)[..., ::-1]
    np.testing.assert_array_equal(outcome.outputs[0][0], np.digitize(X, [-1.0, 0.0, 1.0]))
    np.testing.assert_allclose(outcome.outputs[0][1], values[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(outcome.outputs[0][2], X)


def test_operators_that_the_table_lacks_are_unsupported_where_the_compiler_reads_onnx() -> None:
    with pytest.raises(Unlowerable, match=r"node .*aten\.\w+.*ONNX"):
        lower(opaque_graph(), "onnx", 0)


def test_random_operators_are_told_apart() -> None:
    graph = read(lambda x: torch.rand_like(x) + torch.rand_like(x) + x, X)
    identities = [node.identity for node in graph.nodes if node.opaque]
    assert len(set(identities)) == 2
    assert "" not in identities
    assert [n.identity for n in from_model(to_model(graph)).nodes if n.opaque] == identities


# --- files and callables ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("symbolic", [False, True])
def test_exported_programs_are_read_with_the_sizes_of_their_examples(symbolic: bool, tmp_path: Path) -> None:
    sizes = {0: torch.export.Dim("batch", min=2, max=64)}
    dynamic = {"dynamic_shapes": ((sizes, sizes),)} if symbolic else {}
    module = modules.Function(lambda x, y: x @ y.mT)
    program = torch.export.export(module, (torch.tensor(X), torch.tensor(Y)), **dynamic)
    torch.export.save(program, tmp_path / "p.pt2")
    graph = callables.load(str(tmp_path / "p.pt2")).graph
    assert graph.input_types[0].shape == (2, 3, 4)
    np.testing.assert_allclose(evaluate(graph, [X, Y])[0], X @ Y.swapaxes(1, 2), rtol=1e-5)


CALLABLES = """
import torch

class Twice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 3))
    def forward(self, x, scale=None):
        y = (x @ self.weight).relu() + x
        return y if scale is None else y * scale

class Nothing(torch.nn.Module):
    def forward(self, x):
        pass

class Control(torch.nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x

def positional(): return Twice(), (torch.ones(2, 3),)
def named(): return Twice(), (torch.ones(2, 3),), {"scale": torch.ones(3)}
def untraceable(): return Control(), (torch.ones(2, 3),)
def complex_numbers(): return Twice(), (torch.ones(2, 3, dtype=torch.complex64),)
def nothing(): return Nothing(), (torch.ones(2, 3),)
def number(): return 3
def bare(): return Twice()
def failing(): raise KeyError("no such weights")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(CALLABLES)
    (tmp_path / "broken.py").write_text("import nothing_of_the_kind\n")
    (tmp_path / "bad.pt2").write_bytes(b"not a program")
    return tmp_path


REFUSALS = {
    "absent.onnx": "neither a strategy",
    "absent.pt2": "neither a strategy",
    "bad.pt2": "not an exported Torch program",
    "nowhere:model": "the module nowhere cannot be imported",
    "broken:model": "nothing_of_the_kind",
    "mine:absent": "has no callable absent",
    "mine:number": "returned an object of type int",
    "mine:bare": "returned an object of type Twice",
    "mine:failing": "KeyError: 'no such weights'",
    "mine:untraceable": "cannot trace",
    "mine:complex_numbers": "complex64 is not supported",
    "mine:nothing": "returns no tensor, and writes into none",
}


@pytest.mark.parametrize("source", REFUSALS)
def test_sources_that_are_none_are_refused_in_one_line(
    source: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    with pytest.raises(ValueError, match=r".") as caught:
        Seeds([source], 10, 0) if source.startswith("absent") else callables.load(source)
    message = str(caught.value)
    assert REFUSALS[source] in message
    assert source in message
    assert "\n" not in message


def test_without_torch_the_message_says_what_to_install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "polyjuice.frameworks.torch.user_program", raising=False)
    monkeypatch.delattr(frameworks.torch, "user_program", raising=False)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(FormatError, match=r"pip install '.+\[inductor\]'"):
        callables.load("mine:positional")


# --- numbers that a type lacks ----------------------------------------------------------------------------------------

HALF = np.random.default_rng(2).standard_normal(300).astype(np.float16)

NUMBERED: dict[str, tuple[Callable[..., object], np.ndarray]] = {
    "aten.mul.Scalar": (lambda x: x * 1.7, HALF),
    "aten.add.Scalar": (lambda i: 300 + i, np.arange(-100, 100).astype(np.int8)),
    "aten.div.Scalar": (lambda x: x / 3.14, HALF),
    "aten.rsub.Scalar": (lambda i: 0.1 - i, np.arange(256).astype(np.uint8)),
    "aten.floor_divide.Scalar": (lambda x: x // 0.3, HALF),
    "aten.remainder.Scalar": (lambda i: i % 3.14, np.arange(50)),
    "aten.remainder.Scalar_Tensor": (lambda x: 3.14 % x, np.arange(1, 50).astype(np.int32)),
    "aten.fmod.Scalar": (lambda x: torch.fmod(x, 1.7), HALF),
    "aten.pow.Tensor_Scalar": (lambda i: i**0.3, np.arange(30)),
    "aten.pow.Scalar": (lambda x: 1.7**x, HALF),
    "aten.lt.Scalar": (lambda x: x < 0.1, HALF),
    "aten.bitwise_xor.Scalar": (lambda i: i ^ 300, np.arange(-100, 100).astype(np.int8)),
    "aten.clamp_min.default": (lambda x: x.clamp(min=0.1), HALF.astype(np.float64)),
}


def test_a_number_that_a_type_lacks_becomes_no_constant() -> None:
    """One module holds all operators, because exporting many takes hardly longer than exporting one."""
    functions, inputs = zip(*NUMBERED.values(), strict=True)

    def all_of(*tensors: torch.Tensor) -> tuple[object, ...]:
        return tuple(function(x) for function, x in zip(functions, tensors, strict=True))

    graph = read(all_of, *inputs)
    assert [node.qualified for node in graph.nodes] == [*NUMBERED]
    results = all_of(*map(torch.tensor, inputs))
    for analysis, result, name in zip(analyse(graph, inputs, mode=Mode(wrap=True)), results, NUMBERED, strict=True):
        assert not judge(result.numpy(), analysis), name  # type: ignore[attr-defined]
        assert np.isfinite(analysis.bound).mean() > 0.9, name


def test_a_number_that_a_type_has_becomes_a_constant() -> None:
    graph = read(lambda x: (x * 1.5, x + 2, x < 0.5), HALF)
    assert [node.qualified for node in graph.nodes] == ["Mul", "Add", "Less"]


# --- memory seen as another type --------------------------------------------------------------------------------------


def test_memory_that_is_seen_as_another_type_is_read_off() -> None:
    x = np.arange(24).reshape(4, 6) - 9
    graph = read(lambda x: ((x.view(torch.int32) * 2).view(torch.int64), x.view(torch.float64).view(torch.uint8)), x)
    views = [node.qualified for node in graph.nodes if node.qualified in ("BitCast", "aten.view.dtype")]
    assert views == ["aten.view.dtype", "aten.view.dtype", "BitCast", "aten.view.dtype"]
    assert [(t.dtype, t.shape) for t in graph.output_types] == [("int64", (4, 6)), ("uint8", (4, 48))]
    wide, narrow = evaluate(graph, [x])
    assert np.array_equal(wide, (x.view(np.int32) * 2).view(np.int64))
    assert np.array_equal(narrow, x.view(np.uint8))


def test_as_strided_reads_memory_as_torch_does() -> None:
    def views(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        inside = x.as_strided((2, 3), (4, 1)), x.as_strided((2, 2), (5, 2), 3)
        return *inside, x.t().as_strided((3, 4), (4, 1)), x.t().as_strided((2, 2), (1, 4), 1)

    x = floats(3, 4)
    for found, wanted in zip(evaluate(read(views, x), [x]), views(torch.tensor(x)), strict=True):
        np.testing.assert_array_equal(found, wanted.numpy())
    with pytest.raises(FormatError, match="a part of another in memory"):
        read(lambda x: x[:, 1:3].as_strided((2, 2), (4, 1)), x)


def test_a_model_whose_graph_means_something_else_is_kept_without_its_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    model = modules.Function(lambda x: x.relu().sum(0)).eval()
    assert not torch_program.from_module(model, (torch.tensor(floats(3, 4)),)).unread
    other = read(lambda x: x.sigmoid().sum(0), floats(3, 4))
    monkeypatch.setattr(torch_export, "from_module", lambda *arguments: other)
    assert torch_program.from_module(model, (torch.tensor(floats(3, 4)),)).unread


def test_as_strided_of_a_tensor_that_decompositions_lay_out_otherwise_is_left_to_the_uncompiled_run() -> None:
    """The program of pytorch/pytorch#174963, and one that differs from its graph in few elements."""

    def roll(x: torch.Tensor) -> torch.Tensor:
        return torch.roll(x, -1, 0).as_strided((5, 10), (4, 1), 0)

    x = torch.arange(100).reshape(2, 5, 2, 5)
    assert not torch_program.from_module(modules.Function(roll), (x,)).unread
    last = x.to(memory_format=torch.channels_last)
    assert torch_program.from_module(modules.Function(roll), (last,)).unread
    few = modules.Function(lambda x: torch.cat([x.flatten(), x.flatten(), roll(x).flatten()[:20]]))
    assert torch_program.from_module(few, (last,)).unread


def test_limits_that_are_not_finite_are_written_as_expressions() -> None:
    def limited(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        infinite = float("inf")
        norm = torch.linalg.vector_norm(x, ord=infinite, dim=1)
        return x.clamp(min=-infinite, max=1.0), x.nan_to_num(posinf=infinite), torch.full_like(x, infinite), norm

    x = floats(3, 4)
    graph, clamped = read(limited, x), read(lambda x: x.clamp(min=-float("inf"), max=1.0), x)
    for seed in range(4):
        artifact = lower(graph, "torch", seed)
        found = torch_program.run(artifact, [torch.tensor(x)])
        for result, wanted in zip(found, limited(torch.tensor(x)), strict=False):
            np.testing.assert_allclose(result.numpy(), wanted.numpy(), rtol=1e-6)
        tree = ast.parse(str(lower(clamped, "tensorflow", seed).source))
        assert not {"inf", "nan"} & {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
