"""Reading and writing ONNX files: the graph has the model's meaning, and a written graph is read back equal."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from ml_dtypes import bfloat16
from onnx import ModelProto, TensorProto, helper, parser

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx.graph_files import from_model, load, save, to_model
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, Node, TensorType, digest, dtypes
from polyjuice.ops import TABLE, GraphBuilder
from tests.support.graphs import apply
from tests.support.light_models import LARGE_MODELS, LIGHT, random_weights, run_model, with_random_weights
from tests.support.shares import in_the_long_run

HEADER = '<ir_version: 9, opset_import: ["" : 18]>'


def read(text: str, header: str = HEADER) -> Graph:
    """The Graph of a model in ONNX's text form. It must be equal after writing and reading."""
    graph = from_model(parser.parse_model(f"{header} {text}"))
    assert_survives(graph)
    return graph


def assert_survives(graph: Graph) -> ModelProto:
    model = to_model(graph)
    again = from_model(ModelProto.FromString(model.SerializeToString()))
    assert digest(again) == digest(graph)
    assert again.inputs == graph.inputs
    assert again.outputs == graph.outputs
    assert again.types == graph.types
    assert again.opsets == graph.opsets
    return model


def refusal(text: str, header: str = HEADER) -> str:
    with pytest.raises(FormatError) as caught:
        from_model(parser.parse_model(f"{header} {text}"), "some.onnx")
    message = str(caught.value)
    assert message.startswith("some.onnx: ")
    assert "\n" not in message
    return message


def only(graph: Graph) -> Node:
    (node,) = graph.nodes
    return node


# --- the round trip -----------------------------------------------------------------------------------------


def test_names_survive_and_bytes_are_deterministic(tmp_path: Path) -> None:
    b = GraphBuilder()
    x = b.input(TensorType("float32", (2, 3)), "ein Name / with:odd (characters)\n☃")
    y = b.op("Clip", b.op("Softmax", x, outputs=["sm.0"]), min=0.1, outputs=["out"])
    graph = b.build([y])
    save(graph, tmp_path / "a.onnx")
    again = load(tmp_path / "a.onnx")
    assert again == graph
    save(again, tmp_path / "b.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()


def applied(op: str, *inputs: TensorType, domain: str = "", **attrs: object) -> Graph:
    b = GraphBuilder()
    return b.build([b.op(op, *map(b.input, inputs), domain=domain, **attrs)])


def reused() -> Graph:
    """Inputs, constants and repeated values as outputs."""
    b = GraphBuilder()
    x, c = b.input(float32(2)), b.constant(np.arange(3, dtype=np.int64))
    y = b.op("Relu", x)
    return b.build([x, y, y, c, x])


def half() -> Graph:
    """A node with a result that nothing reads."""
    b = GraphBuilder()
    node = Node("Split", (b.input(float32(4)),), ("", "half"), {"axis": 0, "split": (2, 2)})
    b.append(node, [float32(2), float32(2)])
    return b.build(["half"])


def float32(*shape: int) -> TensorType:
    return TensorType("float32", shape)


WINDOW = {"kernel_shape": (2,), "strides": (1,), "pads": (0, 0), "dilations": (2,)}
SAMPLED = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": 0}


@pytest.mark.parametrize(
    ("make", "opset"),
    [
        (reused, 18),
        (half, 18),
        (lambda: applied("Reshape", TensorType("int32", ()), shape=(1, 1)), 18),
        (lambda: applied("Reshape", float32(0, 3), shape=(3, 0), allowzero=1), 18),
        (lambda: applied("Reshape", float32(2, 3), shape=(0, -1)), 18),
        (lambda: applied("Slice", float32(2, 3), starts=(-9,), ends=(99,), axes=(1,), steps=(1,)), 18),
        (lambda: applied("Clip", TensorType("int8", (2,)), min=None, max=2.0), 18),
        (lambda: applied("Clip", TensorType("int8", (2,)), min=-1.0, max=None), 18),
        (lambda: applied("Clip", TensorType("int8", (2,)), min=None, max=None), 18),
        # A 0 in the shape of a Reshape copies a size, unless an attribute rules that out.
        (lambda: applied("kron", float32(), float32(0), domain="aten"), 18),
        (lambda: applied("AveragePool", float32(1, 1, 5), **WINDOW), 19),
        (lambda: applied("GridSample", *(TensorType("bfloat16", (1, n, 4 // n, 2)) for n in (1, 2)), **SAMPLED), 22),
    ],
)
def test_a_stored_graph_is_a_valid_model_of_the_least_opset_from_18_on(make: Callable[[], Graph], opset: int) -> None:
    model = assert_survives(make())
    onnx.checker.check_model(model, full_check=True)
    assert (model.opset_import[0].version, model.ir_version == 9) == (opset, opset < 21)


def test_constants_of_every_type() -> None:
    b = GraphBuilder()
    arrays = [np.array([[0, 1]]).astype(dtypes.to_numpy(dtype)) for dtype in TABLE["", "Identity"].types["T"]]
    arrays.append(np.array([1.5, -0.0], bfloat16))
    graph = b.build([b.constant(array) for array in arrays])
    again = from_model(assert_survives(graph))
    for name, array in graph.constants.items():
        assert again.constants[name].dtype == array.dtype
        assert again.constants[name].tobytes() == array.tobytes()


def test_scales_that_are_not_the_ratios_of_sizes_are_kept() -> None:
    body = "s = Constant<value_floats=[1.0,SCALE]>() y = Resize<coordinate_transformation_mode=MODE>(x, , s)"

    def resized(size: int, scale: str, transformation: str = "asymmetric") -> Node:
        text = body.replace("SCALE", scale).replace("MODE", f'"{transformation}"')
        graph = read(f"g (float[1,{size}] x) => (y) {{ {text} }}")
        onnx.checker.check_model(assert_survives(graph), full_check=True)
        return graph.nodes[-1]

    assert (resized(4, "2.0").attrs["sizes"], resized(4, "2.0").attrs["scales"]) == ((1, 8), ())
    kept = resized(8, "1.3")
    assert (kept.attrs["sizes"], kept.attrs["scales"]) == ((1, 10), (1.0, float(np.float32(1.3))))
    assert resized(8, "1.3", "align_corners").opaque
    assert resized(10, "1.3").opaque, "13 elements in single precision, 12 in double"


def test_reserved_names_are_refused() -> None:
    b = GraphBuilder()
    with pytest.raises(FormatError, match="reserved"):
        to_model(b.build([b.input(TensorType("float32", ()), "polyjuice:x")]))


# --- the normal form ----------------------------------------------------------------------------------------

IMAGE = "float[1,1,5] x, float[1,1,2] w"


def reduced(axes: tuple[int, ...], keepdims: int, noop: int) -> dict[str, object]:
    return {"axes": axes, "keepdims": keepdims, "noop_with_empty_axes": noop}


def window(strides: tuple[int, ...], pads: tuple[int, ...]) -> dict[str, object]:
    return {"strides": strides, "pads": pads, "dilations": (1,), "group": 1}


NORMAL_FORMS = [
    ("float[2,3,4] x", "y = Transpose(x)", {"perm": (2, 1, 0)}),
    ("float[2,3] x", "y = Softmax(x)", {"axis": 1}),
    ("float[2,3,4] x", "y = Flatten<axis=-1>(x)", {"axis": 2}),
    ("float[2,3] x", "s = Constant<value_ints=[0,-1,1]>() y = Reshape(x, s)", {"shape": (2, 3, 1), "allowzero": 0}),
    (
        "float[2,0] x",
        "s = Constant<value_ints=[0,5]>() y = Reshape<allowzero=1>(x, s)",
        {"shape": (0, 5), "allowzero": 1},
    ),
    ("float[2,1] x", "s = Constant<value_ints=[4,1,3]>() y = Expand(x, s)", {"shape": (4, 2, 3)}),
    ("float[1,2,1] x", "y = Squeeze(x)", {"axes": (0, 2)}),
    ("float[2] x", "a = Constant<value_ints=[-1,0]>() y = Unsqueeze(x, a)", {"axes": (0, 2)}),
    ("float[2,3] x", "y = ReduceSum(x)", reduced((0, 1), 1, 0)),
    ("float[2,3] x", "a = Constant<value_ints=[-1]>() y = ReduceMax<keepdims=0>(x, a)", reduced((1,), 0, 0)),
    ("float[2,3] x", "y = ReduceSum<noop_with_empty_axes=1>(x)", reduced((), 1, 1)),
    ("float[2,3] x", "y = ArgMax<axis=-1>(x)", {"axis": 1, "keepdims": 1, "select_last_index": 0}),
    (IMAGE, 'y = Conv<auto_pad="SAME_UPPER", kernel_shape=[2]>(x, w)', window((1,), (0, 1))),
    (IMAGE, 'y = Conv<auto_pad="SAME_LOWER">(x, w)', window((1,), (1, 0))),
    (IMAGE, 'y = Conv<auto_pad="VALID", strides=[2]>(x, w)', window((2,), (0, 0))),
    (
        "float[1,1,5] x",
        "y = MaxPool<kernel_shape=[2]>(x)",
        {"kernel_shape": (2,), "strides": (1,), "pads": (0, 0), "dilations": (1,), "ceil_mode": 0},
    ),
    (
        "float[2,3] x",
        "p = Constant<value_ints=[1,2]>() a = Constant<value_ints=[-1]>() y = Pad(x, p, , a)",
        {"pads": (0, 1, 0, 2), "value": 0.0, "mode": "constant"},
    ),
    ("float[2] x", "y = Dropout(x)", {}),
    (
        "float[2,3] x",
        "a = Constant<value_int=-1>() y = CumSum<reverse=1>(x, a)",
        {"axis": 1, "exclusive": 0, "reverse": 1},
    ),
    ("float[2,3] x", "y = LpNormalization(x)", {"axis": 1, "p": 2}),
    ("float[2,3] x", "y = MeanVarianceNormalization<axes=[-1,0]>(x)", {"axes": (0, 1)}),
    ("float[2,3,4,4] x", 'y = Einsum<equation="...ii -> ...i">(x)', {"equation": "abii->abi"}),
    ("float[2,3] x, float[3,4] w", 'y = Einsum<equation="ij, jk">(x, w)', {"equation": "ij,jk->ik"}),
    ("float[2,3] x, float[2,4,3] w", 'y = Einsum<equation="ij,i...j">(x, w)', {"equation": "ij,iaj->a"}),
]


@pytest.mark.parametrize(("inputs", "body", "attrs"), NORMAL_FORMS)
def test_normal_form(inputs: str, body: str, attrs: dict[str, object]) -> None:
    node = only(read(f"g ({inputs}) => (y) {{ {body} }}"))
    assert not node.opaque
    assert dict(node.attrs) == attrs


@pytest.mark.parametrize(
    ("start", "end", "step", "normal"),
    [
        (0, 99, 1, (0, 5, 1)),
        (-2, 99, 1, (3, 5, 1)),
        (-99, -1, 2, (0, 4, 2)),
        (3, 1, 1, (0, 0, 1)),
        (99, -99, -1, (4, -6, -1)),
        (-1, 0, -2, (4, 0, -2)),
        (-99, -100, -1, (0, -6, -1)),
    ],
)
def test_slices_have_bounds_inside_the_axis(start: int, end: int, step: int, normal: tuple[int, int, int]) -> None:
    names = {"s": start, "e": end, "a": -1, "t": step}
    constants = " ".join(f"{name} = Constant<value_ints=[{value}]>()" for name, value in names.items())
    node = only(read(f"g (float[2,5] x) => (y) {{ {constants} y = Slice(x, s, e, a, t) }}"))
    assert tuple(node.attrs[name][0] for name in ("starts", "ends", "steps")) == normal
    assert node.attrs["axes"] == (1,)


def test_nodes_of_several_outputs_or_other_operators_have_normal_forms_too() -> None:
    for count, parts in ((2, (4, 3)), (3, (3, 3, 1)), (7, (1,) * 7)):
        outputs = ", ".join(f"y{i}" for i in range(count))
        node = only(read(f"g (float[7] x) => ({outputs}) {{ {outputs} = Split<num_outputs={count}>(x) }}"))
        assert node.attrs["split"] == parts
    node = only(read("g (float[2] x, int8[1] like) => (y) { y = CastLike(x, like) }"))
    assert (node.op, node.inputs, node.attrs) == ("Cast", ("x",), {"to": "int8"})


def test_shapes_are_computed_on_reading() -> None:
    graph = read("""g (float[N, 4] x) => (y) {
        s = Shape(x) i = Constant<value_ints=[0]>() n = Gather(s, i) m = Constant<value_ints=[2, -1]>()
        t = Concat<axis=0>(n, m) y = Reshape(x, t) }""")
    assert only(graph).attrs["shape"] == (1, 2, 2), "an open dimension of an input becomes 1"
    assert not graph.constants


# --- versions -----------------------------------------------------------------------------------------------


def test_newer_models_are_read_as_they_are() -> None:
    graph = read(
        "g (float[2] x) => (y) { y = Cast<to=11, saturate=0>(x) }", '<ir_version: 10, opset_import: ["" : 21]>'
    )
    assert dict(only(graph).attrs) == {"to": "float64"}
    assert graph.opsets == {}


def test_newer_opaque_operators_keep_their_version() -> None:
    grid = "h = AffineGrid<align_corners=1>(x, k)"  # of one row, which is nowhere
    text = f"g (float[1,2,3] x) => (y) <int64[4] k = {{1, 1, 1, 2}}> {{ {grid} y = Relu(h) }}"
    graph = read(text, '<ir_version: 9, opset_import: ["" : 20]>')
    assert [node.opaque for node in graph.nodes] == [True, False]
    assert graph.opsets == {"": 20}
    onnx.checker.check_model(to_model(graph), full_check=True)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize("axis", ["", "<axis=2>", "<axis=-1>"])
def test_before_opset_13_softmax_and_its_like_go_over_all_axes_from_one_on(op: str, axis: str) -> None:
    graph = read(f"g (float[2,3,2,2] x) => (y) {{ y = {op}{axis}(x) }}", '<ir_version: 7, opset_import: ["" : 12]>')
    first = {"": 1, "<axis=2>": 2, "<axis=-1>": 3}[axis]
    x = np.random.default_rng(0).standard_normal((2, 3, 2, 2)).astype(np.float32)
    flat = x.reshape(int(np.prod(x.shape[:first])), -1).astype(np.float64)
    soft = np.exp(flat) / np.exp(flat).sum(1, keepdims=True)
    hard = flat == flat.max(1, keepdims=True)
    wanted = {"Softmax": soft, "LogSoftmax": np.log(soft), "Hardmax": hard.astype(np.float64)}[op].reshape(x.shape)
    np.testing.assert_allclose(evaluate(graph, [x])[0], wanted, rtol=1e-5, atol=1e-6)


# --- opaque nodes -------------------------------------------------------------------------------------------


def test_an_opaque_node_with_several_results_and_constants_survives() -> None:
    graph = read("""g (float[3,1,1] x) => (v, y) <float[1,2,1] w = {1, 2}, float[1,2,2] r = {1, 2, 3, 4}> {
        v, h = RNN<hidden_size=2, layout=1>(x, w, r) y = Neg(h) }""")
    node = graph.nodes[0]
    assert (node.op, node.opaque, node.inputs, node.outputs) == ("RNN", True, ("x", "w", "r"), ("v", "h"))
    assert graph.types["h"] == TensorType("float32", (3, 1, 2))
    model = to_model(graph)
    onnx.checker.check_model(model, full_check=True)
    assert {a.name: a.i for a in model.graph.node[0].attribute} == {"hidden_size": 2, "layout": 1}


def test_opaque_nodes_have_names_of_their_own() -> None:
    pool = "AveragePool<kernel_shape=[1], ceil_mode=1>"
    graph = read(f"g (float[1,1,2] x) => (y) {{ a = {pool}(x) b = {pool}(a) y = {pool}(b) }}")
    model = to_model(graph)
    assert len({node.name for node in model.graph.node}) == 3
    assert [(node.opaque, node.identity) for node in from_model(model).nodes] == [(True, "")] * 3


UNCOVERED = [
    ("float[1,1,4] x", "y, i = MaxPool<kernel_shape=[2]>(x)"),
    ("float[1,1,5] x", "y = AveragePool<kernel_shape=[2], strides=[2], ceil_mode=1>(x)"),
    ("float[2,3] x", 'p = Constant<value_ints=[0,3,0,1]>() y = Pad<mode="reflect">(x, p)'),
    ("float[2,3] x, float[1,3] w", 'y = Einsum<equation="...,...">(x, w)'),
    ("float[2,3] x, float[2,4] w", 'y = Einsum<equation="ij,ij->ij">(x, w)'),
    ("float[2,3] x, int64[2] s", "y = Reshape(x, s)"),
    ("float[2] x, int64[2] e", "y = Pow(x, e)"),
    ("int64[2] x", "y = ReduceMean(x)"),
    ("float[2] x", "y = Bernoulli(x)"),
]


@pytest.mark.parametrize(("inputs", "body"), UNCOVERED)
def test_what_an_entry_does_not_cover_is_opaque(inputs: str, body: str) -> None:
    result = "int64[1] y" if "int64[2] x" in inputs else "float[3,2] y" if "Reshape" in body else "y"
    outputs = f"{result}, i" if "y, i" in body else result
    graph = read(f"g ({inputs}) => ({outputs}) {{ {body} }}")
    assert graph.nodes[-1].opaque
    onnx.checker.check_model(to_model(graph), full_check=True)


def test_other_domains_keep_their_version_and_declared_types() -> None:
    graph = read(
        """g (float[2] x) => (float[5] y) <float[7] h> {
        h, unread = org.thing.Op<s = "a">(x) y = org.thing.Op(h, , x) }""",
        '<ir_version: 9, opset_import: ["" : 18, "org.thing" : 3]>',
    )
    assert graph.opsets == {"org.thing": 3}
    assert graph.types["h"].shape == (7,)
    assert graph.nodes[0].outputs == ("h", "")
    assert graph.nodes[1].inputs == ("h", "", "x")


def test_random_nodes_are_told_apart() -> None:
    graph = read("g (float[2] x) => (z) { a = RandomNormalLike(x) b = RandomNormalLike(x) z = Sub(a, b) }")
    first, second = (node.identity for node in graph.nodes[:2])
    assert "" not in (first, second)
    assert first != second


# The table lacks OptionalGetElement, which gives a tensor back as it is.
CONTROL = """g (bool c, float[2] x, float[2] w) => (y) {
    h = Add(x, w)
    z = If(c) <then_branch = t () => (float[2] r) { k = Mul(h, x) m = OptionalGetElement(k) r = Relu(m) },
               else_branch = e () => (float[2] r) { r = Identity(w) }>
    y = Neg(z) }"""


def test_captured_values_can_be_renamed_and_rewired() -> None:
    from onnx.reference import ReferenceEvaluator

    graph = read(CONTROL)
    add, branch, neg = graph.nodes
    assert branch.inputs == ("c", "h", "x", "w")
    # The subgraphs used the new names inside.
    rename = {"h": "r", "z": "k"}
    nodes = (
        Node("Sub", add.inputs, ("r",)),
        Node(branch.op, ("c", "r", "x", "w"), ("k",), branch.attrs, opaque=True),
        Node("Neg", ("k",), neg.outputs),
    )
    types = {rename.get(name, name): type for name, type in graph.types.items()}
    model = assert_survives(Graph(graph.inputs, {}, nodes, graph.outputs, types))
    onnx.checker.check_model(model, full_check=True)
    x, w = np.array([3, 4], np.float32), np.array([1, 6], np.float32)
    run = ReferenceEvaluator(model)
    assert run.run(None, {"c": np.array(True), "x": x, "w": w})[0].tolist() == [-6, 0]
    assert run.run(None, {"c": np.array(False), "x": x, "w": w})[0].tolist() == [-1, -6]


def test_nested_subgraphs_capture_through_levels() -> None:
    graph = read("""g (bool c, float[2] x) => (float[2] y) {
        y = If(c) <then_branch = t () => (float[2] r) {
                s = If(c) <then_branch = tt () => (float[2] q) { q = Relu(x) },
                           else_branch = te () => (float[2] q) { q = Neg(x) }>
                r = Neg(s) },
            else_branch = e () => (float[2] r) { r = Identity(x) }> }""")
    assert only(graph).inputs == ("c", "c", "x")


# --- refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("g (complex128[2] x) => (y) { y = Identity(x) }", ("'x'", "complex128")),
        ("g (float[2] x) => (y) { y = Cast<to=18>(x) }", ("Cast", "'y'", "float8e4m3fnuz")),
        ('g (float[2] x) => (x) { s = Constant<value_string="a">() }', ("'s'", "value_string")),
        ("g (float[2] x) => (y) { s = SequenceConstruct(x) y = SequenceAt(s, x) }", ("'s'", "sequence")),
        ("g (float[1] x, int64[1] a) => (y) { y = Squeeze(x, a) }", ("Squeeze", "'y'", "value_info")),
        ("g (float[2] x) => (y) { y = Add(x, nowhere) }", ("Add", "'nowhere'")),
        ("g (float[2] x) => (y) { z = Relu(x) }", ("'y'", "no node")),
        ("g (float[2] x) => (y) { y = Relu(x) y = Neg(x) }", ("'y'", "twice")),
        ("g (float[2] x, float[3] w) => (y) { y = Add(x, w) }", ("Add", "'y'")),
    ],
)
def test_refusals_name_the_cause(text: str, words: tuple[str, ...]) -> None:
    message = refusal(text)
    assert all(word in message for word in words), message


def test_old_models_that_cannot_be_converted_are_refused() -> None:
    header = '<ir_version: 3, opset_import: ["" : 6]>'
    assert "opset 18" in refusal("g (float[2] x) => (y) { y = ATen(x) z = Softmax(missing) }", header)


def test_unknown_rank_is_refused() -> None:
    proto = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    with pytest.raises(FormatError, match="'x' has no shape"):
        from_model(helper.make_model(proto))


@pytest.mark.parametrize("data", [b"", b"not a model", b"\x08\x09"])
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.onnx"
    with pytest.raises(FormatError, match=r"a\.onnx"):
        load(path)
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.onnx: not an ONNX model"):
        load(path)


# --- whole models -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["squeezenet", *in_the_long_run("shufflenet", *LARGE_MODELS)])
def test_light_models_keep_their_meaning(name: str, tmp_path: Path) -> None:
    """A shipped light model has equal weights and a constant output. Random weights show more."""
    path = LIGHT / f"light_{name}.onnx"
    shipped = load(path)
    assert not any(node.opaque for node in shipped.nodes)
    original = onnx.load(path)
    weights = random_weights(original.graph)
    assert set(weights) == {name for name, array in shipped.constants.items() if name in weights}
    shipped = Graph(shipped.inputs, {**shipped.constants, **weights}, shipped.nodes, shipped.outputs, shipped.types)
    saved = tmp_path / "saved.onnx"
    save(shipped, saved)
    onnx.checker.check_model(saved, full_check=True)
    assert digest(load(saved)) == digest(shipped)

    feeds = {
        name: np.random.default_rng(1).standard_normal(type.shape, np.float32)
        for name, type in zip(shipped.inputs, shipped.input_types, strict=True)
    }
    del shipped
    actual = run_model(str(saved), feeds)
    with_random_weights(original.graph, weights)
    del weights
    gc.collect()
    expected = run_model(original, feeds)
    for a, e in zip(actual, expected, strict=True):
        assert np.ptp(e) > 0
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-6)


def test_onnx_runtimes_own_operators_are_read() -> None:
    header = '<ir_version: 9, opset_import: ["": 18, "com.microsoft": 1]>'
    graph = read(
        """g (float[1,4,5,5] x, float[2,4,3,3] w, float[2] b) => (float[1,2,5,5] y) {
            c = com.microsoft.FusedConv <activation = "Relu", kernel_shape = [3, 3], auto_pad = "SAME_UPPER"> (x, w, b)
            y = com.microsoft.QuickGelu (c)
        }""",
        header,
    )
    conv, gelu = graph.nodes
    assert (conv.qualified, conv.opaque, conv.attrs["pads"]) == ("com.microsoft.FusedConv", False, (1, 1, 1, 1))
    assert gelu.attrs == {"alpha": float(np.float32(1.702))}
    unknown = only(read("g (float[4] x) => (float[4] y) { y = com.microsoft.QuickGelu <beta = 2.0> (x) }", header))
    assert unknown.opaque


def test_an_operator_of_a_runtime_is_stored_without_its_meaning() -> None:
    model = assert_survives(apply("com.microsoft.Gelu", "float32[2,3]"))
    assert not model.functions
    assert {o.domain for o in model.opset_import} == {"", "com.microsoft"}
