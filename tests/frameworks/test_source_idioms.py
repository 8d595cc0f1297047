"""Idioms around the operators in Torch and TensorFlow source: they occur where they may, and keep the meaning."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from polyjuice.execution import Artifact
from polyjuice.frameworks import outline
from polyjuice.frameworks.choosers import drawing
from polyjuice.frameworks.lowering import CoverageTarget, lower, repeat, repeated_axes
from polyjuice.frameworks.outline import Calling
from polyjuice.frameworks.torch.source import LAYOUTS
from polyjuice.generate import generate
from polyjuice.inputs import make_inputs
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, TensorType, prune
from polyjuice.numerics import analyse
from polyjuice.ops import GraphBuilder, check
from tests.support.bounds import assert_within
from tests.support.frameworks import RUN, on_usual_types
from tests.support.unsupported import Unsupported, cells

SOURCES = ("torch", "tensorflow")
EVERYWHERE = {
    "a constant as an argument",
    "a module of its own",
    "axes counted from the end",
    *Calling,
    "an intermediate value as a result",
    "explicit broadcast",
}
OF_TORCH = {
    "in place",
    "in place through a view",
    "a constant made in the program",
    "implicit conversion",
    "implicit promotion",
    "mode",
    "dynamic",
    "layouts",
    "freezing",
    "a number as an argument",
}
OF = {"torch": EVERYWHERE | OF_TORCH, "tensorflow": EVERYWHERE | {"dynamic"}}
SEEDS = range(200)


def float32(*shape: int) -> TensorType:
    return TensorType("float32", shape)


def text(artifact: Artifact) -> str:
    assert isinstance(artifact.source, str)
    return artifact.source


def spelled(graph: Graph, format: str, idiom: str) -> list[Artifact]:
    """The artifacts of a graph, for many seeds, that show an idiom."""
    artifacts = [lower(graph, format, seed) for seed in SEEDS]
    return [a for a in artifacts if any(name.startswith(idiom) for name in a.idioms)]


def assert_equal(graph: Graph, artifact: Artifact, inputs: Sequence[np.ndarray]) -> None:
    """The framework's results equal the interpreter's, on values that both represent exactly."""
    results = RUN[artifact.format](artifact, inputs)
    for result, expected in zip(results, evaluate(graph, inputs), strict=True):
        np.testing.assert_array_equal(np.asarray(result, np.float64), expected.astype(np.float64), artifact.source)


@pytest.mark.parametrize("format", SOURCES)
def test_generated_graphs_meet_every_idiom_and_keep_their_meaning(format: str, unsupported: Unsupported) -> None:
    seen: Counter[str] = Counter()
    ran = 0
    for number in range(120):
        graph = generate(8, f"idioms in {number}", on_usual_types)
        try:
            inputs = make_inputs(graph, "exact", number)
            artifact = lower(graph, format, number)
            results = RUN[format](artifact, inputs)
        except EvaluationError:
            continue
        except Exception as error:
            if not unsupported.explains(error, cells(format, graph)):
                raise
            continue
        ran += 1
        seen.update(re.split(r" x\d|:", name)[0] for name in artifact.idioms)
        assert_within(results, analyse(graph, inputs), f"{graph}\n{artifact.source}")
    assert ran > 60
    assert set(seen) <= OF[format]
    assert len(set(seen)) > len(OF[format]) - 3


@pytest.mark.parametrize("format", SOURCES)
def test_a_constant_may_be_an_argument(format: str) -> None:
    build = GraphBuilder()
    x, w = build.input(float32(3), "x"), build.constant(np.array([1, 2, 3], np.float32), "w")
    graph = build.build([build.op("Add", x, w)])
    artifacts = spelled(graph, format, "a constant as an argument")
    assert artifacts
    assert all(a.arguments == tuple(a.arrays) and "(self, x, w)" in text(a) for a in artifacts)
    assert_equal(graph, artifacts[0], [np.array([4, 5, 6], np.float32)])


def forked() -> Graph:
    build = GraphBuilder()
    x = build.input(float32(2, 3), "x")
    y = build.op("Neg", x, outputs=("y",))
    z = build.op("Mul", y, build.constant(np.arange(6, dtype=np.float32).reshape(2, 3), "w"), outputs=("z",))
    return build.build([build.op("Add", z, y, outputs=("v",)), y])


@pytest.mark.parametrize("calling", Calling)
@pytest.mark.parametrize("format", SOURCES)
def test_a_part_may_be_a_function_of_its_own(format: str, calling: Calling) -> None:
    graph = forked()
    artifacts = spelled(graph, format, calling)
    assert artifacts
    calls = {
        Calling.DIRECT: ["self.part("],
        Calling.WRAPPED: ["self.around(", "return self.part("],
        Calling.LOCAL: ["self.around(", "return part("],
        Calling.RETURNED: ["self.around()(", "return part\n"],
    }[calling]
    for artifact in artifacts[:12]:
        assert [text(artifact).count(call) for call in calls] == [1] * len(calls)
        assert_equal(graph, artifact, [np.arange(6, dtype=np.float32).reshape(2, 3)])


@pytest.mark.parametrize("format", SOURCES)
def test_a_part_may_be_a_module_with_weights_of_its_own(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "CHANCE", 1.0)
    build = GraphBuilder()
    x, w = build.input(float32(3), "x"), build.constant(np.array([1, 2, 3], np.float32), "w")
    product = build.op("Mul", build.op("Abs", build.op("Neg", x)), w)
    graph = build.build([build.op("Add", product, w)])
    artifacts = [a for a in spelled(graph, format, "a module of its own") if a.arrays and not a.arguments]
    homes = set()
    for artifact in artifacts:
        halves = text(artifact).split("    class Part(")
        homes.add(tuple(bool(re.search('w_w"? ?[=,]', half)) for half in halves))
        assert_equal(graph, artifact, [np.array([4, 5, -6], np.float32)])
    assert homes == {(True, False), (True, True), (False, True)}  # the part holds no reader, one, or both


@pytest.mark.parametrize("format", SOURCES)
def test_a_function_does_not_change_how_the_rest_is_spelled(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def settings(chance: float) -> list[object]:
        monkeypatch.setattr(outline, "CHANCE", chance)
        return [(a.setup, a.arguments) for a in (lower(forked(), format, seed) for seed in range(40))]

    assert settings(0.0) == settings(1.0)


@pytest.mark.parametrize("format", SOURCES)
def test_an_intermediate_value_may_be_a_further_result(format: str) -> None:
    build = GraphBuilder()
    x = build.input(float32(2), "x")
    graph = build.build([build.op("Relu", build.op("Neg", x, outputs=("inner",)))])
    artifacts = spelled(graph, format, "an intermediate value as a result")
    assert artifacts
    for artifact in artifacts[:5]:
        assert artifact.results == 1
        assert re.search(r"return \(\w+, inner,\)", text(artifact))
        assert_equal(graph, artifact, [np.array([-1, 2], np.float32)])


def test_a_part_and_what_is_around_it_are_the_graph_in_an_order_that_can_be_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outline, "CHANCE", 1.0)
    sizes, callings = set(), set()
    for number in range(10):
        graph = prune(generate(12, f"outline {number}"))
        for found in filter(None, (outline.choose(graph, drawing(seed)) for seed in range(20))):
            inside, part = sorted(found.part.nodes), found.part.graph
            assert sorted([*found.before, *inside, *found.after]) == list(range(len(graph)))
            ordered = [graph.nodes[n] for n in (*found.before, *inside, *found.after)]
            check(Graph(graph.inputs, graph.constants, tuple(ordered), graph.outputs, graph.types))
            check(part)
            made = {name for n in found.before for name in graph.nodes[n].outputs}
            assert made.union(graph.inputs).issuperset(part.inputs)
            sizes.add(len(inside))
            callings.add(found.calling)
    assert sizes >= {2, 3, 5, 8}
    assert callings == set(Calling)
    for small in (generate(1, "one"), Graph((), {}, (), (), {})):
        assert not any(outline.choose(small, drawing(seed)) for seed in range(40))


def spells_in_place(graph: Graph) -> bool:
    return bool(spelled(graph, "torch", "in place"))


def test_only_a_dead_value_of_its_own_memory_is_overwritten() -> None:
    build = GraphBuilder()
    x = build.input(float32(2, 3), "x")
    assert not spells_in_place(build.build([build.op("Relu", x)])), "an input"
    a = build.op("Neg", x)
    assert spells_in_place(build.build([build.op("Relu", a)])), "a fresh result"
    assert not spells_in_place(build.build([build.op("Relu", a), a])), "a result that is read again"
    build = GraphBuilder()
    view = build.op("Transpose", build.input(float32(2, 3), "x"), perm=(1, 0))
    assert not spells_in_place(build.build([build.op("Relu", view)])), "a view of an input"
    build = GraphBuilder()
    small = build.op("Neg", build.input(float32(3), "x"))
    large = build.input(float32(2, 3), "y")
    assert not spells_in_place(build.build([build.op("Add", small, large)])), "an operand of another shape"


def cast_graph(op: str, casts: int, attrs: Mapping[str, object], domain: str = "") -> Graph:
    """An operator of float32 on casts of int32, behind one operand without a cast; ``Where`` has a condition before."""
    build = GraphBuilder()
    narrow = [build.op("Cast", build.input(TensorType("int32", (2, 3)), f"i{n}"), to="float32") for n in range(casts)]
    condition = [build.input(TensorType("bool", (2, 3)), "c")] if op == "Where" else []
    return build.build([build.op(op, *condition, build.input(float32(2, 3), "x"), *narrow, domain=domain, **attrs)])


@pytest.mark.parametrize(
    ("op", "casts", "attrs"),
    [("Add", 1, {}), ("Where", 1, {}), ("Concat", 2, {"axis": 0}), ("Max", 1, {})],
)
def test_a_cast_may_be_left_to_the_framework(op: str, casts: int, attrs: Mapping[str, object]) -> None:
    graph = cast_graph(op, casts, attrs)
    artifacts = [a for a in spelled(graph, "torch", "implicit promotion") if "float32" not in text(a)]
    assert artifacts
    for artifact in artifacts[:4]:
        assert_equal(graph, artifact, make_inputs(graph, "exact", 0))
    assert not spelled(graph, "tensorflow", "implicit promotion")


def test_one_operand_keeps_its_type() -> None:
    build = GraphBuilder()
    halves = [build.op("Cast", build.input(TensorType("float16", (3,)), f"x{n}"), to="float32") for n in range(3)]
    graph = build.build([build.op("addcmul", *halves, domain="aten", value=1.0)])
    artifacts = spelled(graph, "torch", "implicit promotion")
    both = [artifact for artifact in artifacts if "implicit promotion x2" in artifact.idioms]
    assert both
    for artifact in both[:4]:
        (result,) = RUN["torch"](artifact, make_inputs(graph, "exact", 0))
        assert result.dtype == np.float32


@pytest.mark.parametrize(
    ("op", "attrs"),
    [
        ("ReduceSum", {"axes": (1,), "keepdims": 0}),
        ("ReduceProd", {"axes": (0, 1), "keepdims": 1}),
        ("CumSum", {"axis": 1, "exclusive": 1, "reverse": 1}),
        ("ReduceMean", {"axes": (0,), "keepdims": 1}),
    ],
)
def test_an_operator_may_take_the_type_in_which_it_computes(op: str, attrs: Mapping[str, object]) -> None:
    build = GraphBuilder()
    x = build.input(TensorType("int8", (2, 4)), "x")
    graph = build.build([build.op(op, build.op("Cast", x, to="float32"), **attrs)])
    artifacts = spelled(graph, "torch", "implicit conversion")
    assert artifacts
    for artifact in artifacts[:8]:
        assert ".to(" not in text(artifact)
        assert "dtype=torch.float32" in text(artifact)
        assert_equal(graph, artifact, [np.arange(-4, 4, dtype=np.int8).reshape(2, 4)])


def test_a_module_without_a_type_gets_a_cast() -> None:
    build = GraphBuilder()
    cast = build.op("Cast", build.input(TensorType("int8", (2, 1)), "x"), to="float32")
    graph = build.build([build.op("Softmax", cast, axis=1)])
    written = {text(artifact) for artifact in spelled(graph, "torch", "implicit conversion")}
    modules = [source for source in written if "torch.nn.Softmax" in source]
    assert modules
    assert all(".to(torch.float32)" in source for source in modules)
    assert any("dtype=torch.float32" in source for source in written - {*modules})


@pytest.mark.parametrize(
    ("op", "source", "shape", "to", "left_out"),
    [
        ("Mul", "float64", (3,), "float16", False),
        ("Mul", "int32", (), "float16", False),
        ("Mul", "bfloat16", (3,), "float16", False),
        ("Add", "bool", (3,), "int64", True),
        ("Sub", "bool", (3,), "int64", False),  # Torch refuses to subtract booleans, although it promotes them
    ],
)
def test_a_cast_that_promotion_would_not_make_stays(
    op: str, source: str, shape: tuple[int, ...], to: str, left_out: bool
) -> None:
    build = GraphBuilder()
    i, x = build.input(TensorType(source, shape), "i"), build.input(TensorType(to, (3,)), "x")
    graph = build.build([build.op(op, build.op("Cast", i, to=to), x)])
    assert bool(spelled(graph, "torch", "implicit promotion")) == left_out


def test_inputs_lie_in_memory_as_the_layouts_say() -> None:
    torch = pytest.importorskip("torch")
    from polyjuice.compilers._torch import lay_out

    x = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    strides = {"contiguous": (60, 20, 5, 1), "transposed": (1, 2, 6, 24), "channels_last": (60, 1, 15, 3)}
    strides |= {"stepped": (120, 40, 10, 2), "offset": (60, 20, 5, 1)}
    for layout, expected in strides.items():
        assert lay_out(x, layout).stride() == expected
    assert lay_out(x, "sliced").storage_offset() > 0
    assert lay_out(x, "offset").storage_offset() == 1
    assert lay_out(x[:, :1].expand(2, 3, 4, 5), "expanded:1").stride()[1] == 0
    for layout in (*strides, "sliced"):
        assert torch.equal(lay_out(x, layout), x)
    for layout, shape in itertools.product(("sliced", "stepped", "offset"), ((), (0,), (2, 0))):
        assert torch.equal(lay_out(torch.full(shape, 2.5), layout), torch.full(shape, 2.5))


def wanted(graph: Graph, seed: int, **what: str) -> Artifact:
    layout = what.get("layout", "")
    return lower(graph, "torch", seed, repeated=repeated_axes(graph, seed, layout), wanted=CoverageTarget(**what))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_first_input_lies_in_memory_as_is_wanted(layout: str) -> None:
    """The second input has this layout half of the time. But the values repeat in only one input."""
    build = GraphBuilder()
    x, y = (build.input(float32(2, 3, 4, 5)) for _ in range(2))
    graph = build.build([build.op("Sum", x, y)])
    others = set()
    for seed in range(20):
        artifact = wanted(graph, seed, layout=layout)
        first, second = artifact.setup.get("layouts", ["contiguous"] * 2)
        assert first.split(":")[0] == layout
        others.add(second)
        assert artifact.choices
        assert lower(graph, "torch", artifact.choices).setup == artifact.setup
    assert others == {"contiguous", "stepped" if layout == "expanded" else layout}


def test_an_input_that_cannot_lie_so_steps_over_elements() -> None:
    def layouts(layout: str, *shape: int) -> object:
        build = GraphBuilder()
        graph = build.build([build.op("Neg", build.input(float32(*shape)))])
        return wanted(graph, 0, layout=layout).setup.get("layouts")

    assert [layouts(layout, 1) for layout in ("channels_last", "transposed", "expanded")] == [["stepped"]] * 3
    assert layouts("stepped") is None


@pytest.mark.parametrize(
    ("setting", "setup"),
    [("plain", {})]
    + [(mode, {"mode": mode}) for mode in ("inference", "grad", "train")]
    + [(name, {name: True}) for name in ("freezing", "dynamic")],
)
def test_a_program_has_the_setting_that_is_wanted(setting: str, setup: dict[str, object]) -> None:
    build = GraphBuilder()
    graph = build.build([build.op("Neg", build.input(float32()))])
    for seed in range(10):
        artifact = wanted(graph, seed, setting=setting)
        assert artifact.setup == setup
        assert artifact.choices
        assert lower(graph, "torch", artifact.choices).setup == setup


def test_only_values_that_repeat_get_stride_0() -> None:
    build = GraphBuilder()
    names = [build.input(float32(2, 3)) for _ in range(4)]
    graph = build.build([build.op("Sum", *names)])
    inputs = [np.random.default_rng(n).random((2, 3), np.float32) for n in range(4)]
    met = 0
    for seed in range(200):
        axes = repeated_axes(graph, seed)
        repeated = repeat(graph, inputs, axes)
        layouts = lower(graph, "torch", seed, repeated=axes).setup.get("layouts", [])
        for name, array, original, layout in zip(graph.inputs, repeated, inputs, layouts, strict=False):
            if layout.startswith("expanded"):
                met += 1
                assert layout == f"expanded:{axes[name]}"
                assert np.ptp(array, axis=axes[name]).max() == 0
            if name not in axes:
                assert array is original
    assert met > 5
