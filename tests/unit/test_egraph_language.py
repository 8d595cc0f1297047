"""The e-graph's language: egglog derives the same shapes and types for a term as the operator table."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from egglog import bindings
from hypothesis import given, settings
from hypothesis import strategies as st

from polyjuice.egraph.decode import decode
from polyjuice.egraph.encode import CHUNK, Tables, beyond_rules, encode, load
from polyjuice.egraph.extract import Extractor
from polyjuice.egraph.language import (
    Constructor,
    constructors,
    derivable,
    ints,
    is_untraced,
    literal,
    number,
    prelude,
    types_of,
)
from polyjuice.egraph.rows import Row, insert
from polyjuice.egraph.view import ENode, freeze
from polyjuice.ir import Graph, TensorType, digest
from polyjuice.ops import TABLE, GraphBuilder, Op, infer
from polyjuice.ops.spec import CONTRIB
from tests.support.applications import application
from tests.support.graphs import apply
from tests.support.graphs import graph as graph_of

PARTLY_DERIVED = {
    "MatMul": "batches are equal, or one operand has none",
    **{f"MatMulInteger{n}": "batches are equal, or one operand has none" for n in (2, 3, 4)},
    **dict.fromkeys(
        (f"{CONTRIB}.QLinear{name}" for name in ("Add", "Mul", "Where")), "shapes are equal, or of a number"
    ),
    "Slice": "one axis, step 1",
    **dict.fromkeys((op.qualified for op in TABLE.values() if op.name.startswith("Reduce")), "one axis"),
    **dict.fromkeys((f"aten.{name}" for name in ("var", "std", "var_mean", "std_mean", "nansum")), "one dimension"),
    **dict.fromkeys(
        (f"aten.{name}" for name in ("linalg_vector_norm", "any", "all", "sum.complex", "logsumexp")), "one dimension"
    ),
    "aten.nanmean": "one dimension",
}
"""Constructors whose shape egglog derives for some applications."""

UNTRACED = frozenset(
    (
        *("Squeeze", "Unsqueeze", "Flatten", "Gather", "GatherND", "OneHot", "aten.stack", "aten.unbind"),
        *("aten.select", "Shape", "Pad", "Tile", "CenterCropPad", "DepthToSpace", "SpaceToDepth"),
        *("aten.rot90", "aten.movedim", "aten.diagonal", "aten.diag_embed", "aten.block_diag", "aten.kron"),
        *("aten.take_along_dim", "ArgMax", "ArgMin", "aten.count_nonzero", "aten.aminmax", "aten.max"),
        *("aten.min", "aten.median", "aten.kthvalue", "aten.cosine_similarity", "Size", "aten.argmax"),
        *("aten.argmin", "Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "Col2Im", "aten.im2col"),
        *("MaxPool", "AveragePool", "LpPool", "aten.avg_pool2d", "GlobalAveragePool", "GlobalMaxPool"),
        *("GlobalLpPool", "aten.max_pool2d_with_indices", "aten.adaptive_avg_pool1d"),
        *("aten.adaptive_avg_pool2d", "aten.adaptive_avg_pool3d", "aten.adaptive_max_pool1d"),
        *("aten.adaptive_max_pool2d", "aten.adaptive_max_pool3d", "GridSample", "Gemm"),
        *("Einsum", "aten.tensordot"),
        *("aten.scaled_dot_product_attention", "aten.cdist", "Attention", "AffineGrid", "DFT", "STFT"),
        *("MaxUnpool", "aten.pairwise_distance", "aten.dist"),
        *(op.qualified for op in TABLE.values() if any(attr.default == "mean" for attr in op.attrs)),  # losses
        *(f"{CONTRIB}.{name}" for name in ("FusedMatMul", "TransposeMatMul", "FusedGemm", "FusedConv", "QGemm")),
        *(f"{CONTRIB}.{name}" for name in ("ConvTransposeWithDynamicPads", "NhwcMaxPool", "QLinearAveragePool")),
        f"{CONTRIB}.QLinearGlobalAveragePool",
        *("aten.hstack", "aten.vstack", "aten.dstack", "aten.column_stack", "aten.chunk", "aten.tensor_split"),
        *("aten.hsplit", "aten.vsplit", "aten.dsplit", "aten.unflatten", "aten.pixel_shuffle", "aten.pixel_unshuffle"),
        *(f"aten.{kind}_pad{axes}d" for kind in ("reflection", "replication") for axes in (1, 2, 3)),
        *("aten.constant_pad_nd", "aten.diag", "aten.diagflat", "aten.meshgrid", "aten.cartesian_prod"),
        *("aten.combinations", "aten.inner", "aten.linalg_vecdot", "aten.trapezoid", "aten.nanmedian"),
        *("aten.quantile", "aten.nanquantile"),
    )
)
"""Operators whose shape signatures loop over the axes, or ask for the rank, which egglog cannot express."""

SAMPLES = 8

GROUP = 100
"""How many constructors or operators share an e-graph."""


@pytest.fixture(scope="module")
def language() -> bindings.EGraph:
    """An e-graph in which every constructor has its analyses."""
    egraph = bindings.EGraph()
    every = " ".join(map(types_of, constructors()))
    for program in [
        *prelude(constructors(), constructors()),
        f"(unstable-combined-ruleset types-here analysis {every})",
    ]:
        egraph.run_program(*egraph.parse_program(program))
    return egraph


@contextmanager
def loaded(
    egraph: bindings.EGraph, actions: Sequence[str], rows: Sequence[Row] = (), schedule: str = ""
) -> Iterator[None]:
    """The e-graph with actions and rows (as graphs are loaded) and a schedule, until the scope ends."""
    egraph.run_program(bindings.Push(1))
    try:
        for start in range(0, len(actions), CHUNK):
            name, body = f"load-{start}", " ".join(actions[start : start + CHUNK])
            program = f"(ruleset {name})(rule () ({body}) :ruleset {name})(run {name} 1)"
            egraph.run_program(*egraph.parse_program(program))
        insert(egraph, rows)
        egraph.run_program(*egraph.parse_program(f"(run numbered 1){schedule}"))
        yield
    finally:
        egraph.run_program(*egraph.parse_program("(pop)"))


def instance(c: Constructor, rng: random.Random) -> tuple[list[TensorType], dict[str, Any]] | None:
    """Operand types and attributes of an application that the constructor can express."""
    for _ in range(50):
        operands, attrs = application(c.op, rng)
        types = [operand.type for operand in operands]
        if c.op.variadic:
            types = [types[i % len(types)] for i in range(c.operands)]
        if c.op.min_inputs >= 0:
            types = types[: c.operands]
        if len(types) == c.operands and can_say(c, types, attrs):
            if c.op.elementwise:  # broadcasting is explicit in the e-graph
                shape = infer(c.op, types, attrs)[0].shape
                types = [TensorType(t.dtype, shape) for t in types]
            return types, attrs
    return None


def can_say(c: Constructor, types: list[TensorType], attrs: dict[str, Any]) -> bool:
    """Whether the operator accepts these operands, whose number an equation fixes, and rules can express it."""
    if beyond_rules(c.op.name, types):
        return False
    try:
        infer(c.op, types, attrs)
        for attr in c.op.attrs:
            literal(attr, attrs[attr.name])
    except ValueError:
        return False
    return True


Instance = tuple[list[TensorType], dict[str, Any]]
"""Operand types and attributes."""

Derived = list[list[tuple[tuple[int, ...] | None, str | None]]]
"""The shape and element type of every result of every instance."""


def derived(egraph: bindings.EGraph, instances: Mapping[str, Sequence[Instance]]) -> dict[str, Derived]:
    """The shape and element type that egglog derives for each result of each application, by constructor."""
    actions, rows, wanted = list[str](), list[Row](), {}
    fresh = itertools.count()
    for name, some in instances.items():
        c = constructors()[name]
        for k, (types, attrs) in enumerate(some):
            operands = []
            for t in types:
                number_ = next(fresh)
                operands.append(f"(Input {number_})")
                actions.append(f"(set (numbered-value {number_}) (Input {number_}))")
                rows += [Row("numbered-shape", (number_, t.shape)), Row("ShapeOf", (number_, number_))]
                rows.append(Row("DtypeOf", (number_, t.dtype)))
            body = " ".join([c.name, *operands, *(literal(a, attrs[a.name]) for a in c.op.attrs)])
            for output in range(len(infer(c.op, types, attrs))):
                wanted[name, k, output] = len(wanted)
                index = f" {output}" if c.multi_output else ""
                actions.append(f"(set (value {wanted[name, k, output]}) ({body}{index}))")
    with loaded(egraph, actions, rows, "(run-schedule (saturate (run types-here)))"):
        functions = egraph.freeze().functions
        shapes = {
            row.inputs[0]: tuple(egraph.value_to_i64(d) for d in egraph.value_to_vec(row.output))
            for row in functions["shape"].rows
        }
        names = {row.inputs[0]: egraph.value_to_string(row.output) for row in functions["dtype"].rows}
        terms = {egraph.value_to_i64(row.inputs[0]): row.output for row in functions["value"].rows}
    results: dict[str, Derived] = {name: [[] for _ in some] for name, some in instances.items()}
    for (name, k, _), at in wanted.items():
        results[name][k].append((shapes.get(terms[at]), names.get(terms[at])))
    return results


def in_groups(names: Iterable[str]) -> list[list[str]]:
    """The constructors in groups that share an e-graph. Loading an e-graph takes as long as many applications."""
    every = sorted(names)
    return [every[start : start + GROUP] for start in range(0, len(every), GROUP)]


def group_id(names: Sequence[str]) -> str:
    return f"{names[0]}-to-{names[-1]}"


@pytest.mark.parametrize("names", in_groups(constructors()), ids=group_id)
def test_derived_types_are_those_of_the_table(names: list[str], language: bindings.EGraph) -> None:
    instances = {}
    for name in names:
        rng = random.Random(name)
        samples = 4 * SAMPLES if name in PARTLY_DERIVED else SAMPLES
        instances[name] = [made for _ in range(samples) if (made := instance(constructors()[name], rng))]
        assert instances[name], f"{name}: no application was found"
    for name, results in derived(language, instances).items():
        check_derived(name, instances[name], results)


def check_derived(name: str, instances: Sequence[Instance], derived: Derived) -> None:
    """Check a constructor's types against the table, and its shapes where the lists say that egglog derives them."""
    count = total = 0
    for (types, attrs), results in zip(instances, derived, strict=True):
        for wanted, (shape, dtype) in zip(infer(constructors()[name].op, types, attrs), results, strict=True):
            assert dtype == (wanted.dtype if derivable(name) else None), f"{name} {types} {attrs}"
            assert shape in (None, wanted.shape), f"{name} {types} {attrs}"
            count, total = count + (shape is not None), total + 1
    if constructors()[name].op.qualified in UNTRACED:
        assert count == 0, f"egglog derives {name} now: take it off the list"
    elif name in PARTLY_DERIVED:
        assert 0 < count < total, name
    else:
        assert count == total, name


def test_the_lists_of_underived_shapes_name_constructors() -> None:
    assert PARTLY_DERIVED.keys() <= constructors().keys()
    assert {c.op.qualified for c in constructors().values() if is_untraced(c)} == UNTRACED


def test_every_operator_has_a_constructor_unless_it_has_graphs_or_unknown_sizes() -> None:
    kinds = {op.qualified: {attr.kind for attr in op.attrs} for op in TABLE.values() if not op.data_dependent}
    plain = (op for op in TABLE.values() if "graph" not in kinds.get(op.qualified, {"graph"}))
    assert {c.op.qualified for c in constructors().values()} == {op.qualified for op in plain}


def test_a_product_whose_batches_only_broadcast_gets_no_shape(language: bindings.EGraph) -> None:
    """The e-graph leaves such batches to the table, instead of guessing a shape."""
    types = [TensorType("float32", (2, 1, 3, 4)), TensorType("float32", (5, 4, 2))]
    assert derived(language, {"MatMul": [(types, {})]}) == {"MatMul": [[(None, "float32")]]}


def splat(egraph: bindings.EGraph, value: float, shape: Sequence[int] = (2,)) -> ENode:
    """The Splat that egglog returns for a Splat."""
    with loaded(egraph, [f'(set (value 0) (Splat {number(value)} {ints(shape)} "float64"))']):
        view = freeze(egraph)
    (node,) = view.classes[view.values[0]]
    return node


@pytest.mark.parametrize("value", [0.0, 1e-5, 1e16, 1e300, -1e300, 5e-324, 0.1, -2.5, 1e22, math.inf, -math.inf])
def test_a_number_comes_back_to_the_last_bit(value: float, language: bindings.EGraph) -> None:
    assert splat(language, value).arguments[0] == value


@settings(max_examples=15)
@given(st.floats(allow_nan=False).filter(lambda x: x != 0 or math.copysign(1, x) > 0))
def test_any_number_comes_back_to_the_last_bit(language: bindings.EGraph, value: float) -> None:
    assert splat(language, value).arguments[0] == value


@pytest.mark.parametrize("value", [None, math.nan, -0.0])
def test_what_egglog_cannot_hold_has_no_literal(value: float | None) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        number(value)


@pytest.mark.parametrize("values", [(), (0,), (3, -1, 2), (2**63 - 1, -(2**63))])
def test_a_vector_comes_back(values: tuple[int, ...], language: bindings.EGraph) -> None:
    assert splat(language, 1.0, values).arguments[1] == values


def test_zero_keeps_its_sign_whatever_was_loaded_before(language: bindings.EGraph) -> None:
    """egglog treats -0.0 and 0.0 as one value. It keeps the first that it met, even after the end of the scope."""
    with loaded(language, ['(set (value 0) (Splat -0.0 (vec-of 3) "float32"))']):
        pass
    assert math.copysign(1, splat(language, 0.0).arguments[0]) == 1


def round_trips(egraph: bindings.EGraph, graphs: Sequence[Graph]) -> list[Graph]:
    """Encode graphs, load them into one e-graph, extract them without rules, and decode them."""
    tables = Tables()
    encodings = [encode(graph, tables) for graph in graphs]
    egraph.run_program(bindings.Push(1))
    try:
        load(egraph, encodings)
        view = freeze(egraph)
    finally:
        egraph.run_program(*egraph.parse_program("(pop)"))
    found = []
    for encoding in encodings:
        roots = [view.values[encoding.values[name]] for name in encoding.graph.outputs]
        found.append(decode(encoding, Extractor(view, roots, encoding.inputs).fewest()))
    return found


@pytest.mark.parametrize("names", in_groups(op.qualified for op in TABLE.values()), ids=group_id)
def test_an_application_comes_back_with_its_attributes(names: list[str], language: bindings.EGraph) -> None:
    ops = {op.qualified: op for op in TABLE.values()}
    graphs = [applied(ops[name]) for name in names]
    for name, graph, back in zip(names, graphs, round_trips(language, graphs), strict=True):
        assert digest(back) == digest(graph), name


def applied(op: Op) -> Graph:
    """Applications of an operator to inputs."""
    rng = random.Random(f"round trip {op.qualified}")
    builder, outputs = GraphBuilder(), list[str]()
    for _ in range(6):
        operands, attrs = application(op, rng)
        if op.name == "Reshape":
            attrs["allowzero"] = 0  # canonical, because no size is 0
        inputs = [builder.input(operand.type) for operand in operands]
        outputs += builder.multi(op.name, *inputs, domain=op.domain, **attrs)
    return builder.build(outputs)


def test_attributes_that_differ_in_the_sign_of_zero_are_not_merged(language: bindings.EGraph) -> None:
    made = graph_of("float32[3] x", "Pad(x, pads=(0, 1), value=0.0), Pad(x, pads=(0, 1), value=-0.0)")
    (back,) = round_trips(language, [made])
    assert {math.copysign(1, node.attrs["value"]) for node in back.nodes} == {1.0, -1.0}


def test_broadcasting_is_explicit_inside_and_implicit_outside(language: bindings.EGraph) -> None:
    made = graph_of("float32[3,1] x; float32[4] y", "Add(x, y)")
    assert [line.count("(Expand ") for line in encode(made).program] == [2]
    assert digest(round_trips(language, [made])[0]) == digest(made)


TABLES = """
(sort Ints (Vec i64))
(function cut (String i64) i64 :merge old)
(function perm (i64) Ints :merge old)
(relation Range (i64 f64 f64))
(relation Site (String i64))
"""

ROWS = [
    Row("cut", ("split-add", 7, 3)),
    Row("cut", ("a key\tof a user's", 7, 4)),
    Row("cut", ("", 7, 5)),
    Row("perm", (3, (2, 0, 1))),
    Row("perm", (0, ())),
    Row("Range", (1, -1.5e-05, 1e300)),
    Row("Range", (2, -0.1, float("inf"))),
    Row("Site", ("split-add", 4)),
]


@pytest.fixture(scope="module")
def tables() -> bindings.EGraph:
    egraph = bindings.EGraph()
    egraph.run_program(*egraph.parse_program(TABLES))
    insert(egraph, ROWS)
    return egraph


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_row_holds_as_its_action_says(row: Row, tables: bindings.EGraph) -> None:
    fact = row.action if row.table[0].isupper() else row.action.replace("(set ", "(= ", 1)
    tables.run_program(*tables.parse_program(f"(check {fact})"))
    assert sum(dict(tables.run_program(*tables.parse_program("(print-size)"))[0].sizes).values()) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_file_says_what_it_can_alone(row: Row) -> None:
    plain = [x for x in row.fields if not isinstance(x, tuple) and x != "" and "\t" not in str(x)]
    assert (row.line is not None) == (len(plain) == len(row.fields))


@pytest.mark.parametrize(
    ("op", "attrs", "front"),
    [
        ("Clip", {"min": None, "max": 1.5}, {}),
        ("Clip", {"min": -math.inf, "max": 1e30}, {}),
        ("Clip", {"min": -0.0, "max": None}, {}),
        ("Pad", {"pads": (0, 1, 0, 0), "value": math.nan}, {}),
        ("Pad", {"pads": (0, 1, -1, 0), "value": -0.0}, {}),
        ("LeakyRelu", {"alpha": -1e-30}, {}),
        ("ReduceSum", {"axes": (), "keepdims": 0, "noop_with_empty_axes": 1}, {}),
        ("Slice", {"starts": (-1,), "ends": (-(2**63),), "axes": (1,), "steps": (-1,)}, {}),
        ("Squeeze", {"axes": ()}, {}),
        ("Cast", {"to": "bfloat16"}, {}),
        ("ReduceMax", {"axes": (-1, 0)}, {"axes": (1, 0)}),
        ("Softmax", {"axis": -1}, {"axis": 1}),
        ("Unsqueeze", {"axes": (-1, -4)}, {"axes": (3, 0)}),
        ("Flatten", {"axis": -2}, {"axis": 0}),
        ("Slice", {"starts": (0,), "ends": (1,), "axes": (-2,), "steps": (1,)}, {"axes": (0,)}),
    ],
)
def test_attributes_come_back_with_axes_counted_from_the_front(
    op: str, attrs: dict[str, Any], front: dict[str, Any], language: bindings.EGraph
) -> None:
    made = apply(op, "float32[3,4]", **attrs)
    (node,) = made.nodes
    expected = replace(made, nodes=(replace(node, attrs={**node.attrs, **front}),))
    assert digest(round_trips(language, [made])[0]) == digest(expected)
