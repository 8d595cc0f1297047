"""Sizes that depend on values: they are unknown in types, and results are compared as they come."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest

from polyjuice.egraph import Rewriter
from polyjuice.egraph.rulefiles import load
from polyjuice.execution import Artifact
from polyjuice.frameworks.lowering import Unlowerable, lower
from polyjuice.frameworks.onnx import read
from polyjuice.generate import Turn, generate
from polyjuice.ir import UNKNOWN, Graph, SizeUnknown, TensorType
from polyjuice.numerics import Analyses, analyse
from polyjuice.numerics.judgement import mistyped
from polyjuice.ops import TABLE, GraphBuilder, ShapeMismatch, infer
from polyjuice.ops.build import complete_attrs
from polyjuice.ops.decompose import NoDecomposition, decompose
from polyjuice.oracles.case import Program
from tests.support.commands import fuzz

MODEL = """
<ir_version: 9, opset_import: ["" : 18]>
found (float[4, 5] x) => (float[k] e, float[4, 5] w) {
    r = Relu(x)
    s = Add(r, x)
    n = NonZero(r)
    t = Transpose<perm=[1, 0]>(n)
    g = GatherND(s, t)
    e = Exp(g)
    u = Sum(s, x)
    w = Mul(u, s)
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "found.onnx"
    onnx.save(onnx.parser.parse_model(MODEL), path)
    return path


def test_an_unknown_size_stays_unknown_where_results_depend_on_it() -> None:
    found = TensorType("float32", (2, UNKNOWN))
    for name, attrs, shape in (
        ("Relu", {}, (2, UNKNOWN)),
        ("ReduceSum", {"axes": (1,), "keepdims": 1}, (2, 1)),
        ("Transpose", {"perm": (1, 0)}, (UNKNOWN, 2)),
        ("Shape", {}, (2,)),
    ):
        op = TABLE["", name]
        (result,) = infer(op, [found], complete_attrs(op, attrs))
        assert result.shape == shape, name
    assert str(found) == "float32[2, ?]"
    slice_ = TABLE["", "Slice"]
    attrs = complete_attrs(slice_, {"starts": (0,), "ends": (3,), "axes": (1,), "steps": (1,)})
    assert infer(slice_, [found], attrs)[0].shape == (2, UNKNOWN), "there may be fewer than three elements"
    reshape = TABLE["", "Reshape"]
    with pytest.raises(ShapeMismatch):
        infer(reshape, [found], complete_attrs(reshape, {"shape": (6,)}))


def test_the_rest_of_a_model_is_rewritten_around_it(model: Path) -> None:
    graph = read.load(model)
    assert [node.opaque for node in graph.nodes] == [False] * 8
    assert [str(t) for t in graph.output_types] == ["float32[?]", "float32[4, 5]"]
    variants = Rewriter(load()).rewrite(graph, 0, count=4).variants
    assert max(variant.operators for variant in variants) > len(graph)
    x = np.random.default_rng(0).integers(-2, 3, (4, 5)).astype(np.float32)
    for variant in variants:
        assert [a.bound.any() for a in analyse(variant.graph, [x])] == [a.bound.any() for a in analyse(graph, [x])]


def of(op: str, dtype: str, before: str = "") -> Graph:
    text = f'<ir_version: 9, opset_import: ["" : 18]> g ({dtype}[4] x) => (y) {{ {before} }}'.replace("OP", op)
    return read.from_model(onnx.parser.parse_model(text))


def test_a_size_is_compared_unless_errors_leave_it_in_doubt() -> None:
    x = np.array([0, 1, 0, 2], np.float32)
    (certain,) = analyse(of("NonZero", "float", "y = OP(x)"), [x])
    assert certain.type == TensorType("int64", (1, 2))
    assert mistyped(np.zeros((1, 3), np.int64), certain.type)
    (certain,) = analyse(of("NonZero", "float", "s = Sin(x) y = OP(s)"), [x + np.float32(0.5)])
    assert certain.type == TensorType("int64", (1, 4))
    (doubtful,) = analyse(of("NonZero", "float", "e = Exp(x) s = Sub(e, e) y = OP(s)"), [x])
    assert not doubtful.type.known
    assert not mistyped(np.zeros((1, 3), np.int64), doubtful.type)
    assert not doubtful.comparable


def test_a_report_has_the_size_that_the_values_give() -> None:
    graph, sets = of("NonZero", "float", "y = OP(x)"), [[np.array([0, 1, 0, 2], np.float32)]]
    artifact = Artifact(format="onnx", source=b"")
    program = Program(label="original", graph=graph, artifact=artifact, analyses=Analyses(graph, sets))
    assert graph.output_types[0].shape == (1, UNKNOWN)
    assert program.result_type(0, 0) == TensorType("int64", (1, 2))


def test_no_text_and_no_definition_depends_on_an_unknown_size() -> None:
    unreadable = TensorType("float32", (2, UNKNOWN)).guarded().shape
    assert unreadable == (2, UNKNOWN)
    for use in (str, lambda shape: f"{shape[1]}", sum, lambda shape: shape[1] > 1):
        with pytest.raises(SizeUnknown):
            use(unreadable)
    builder = GraphBuilder()
    found = builder.op(
        "Compress", builder.input(TensorType("float32", (4,))), builder.constant(np.ones(4, bool)), axis=0
    )
    with pytest.raises(Unlowerable, match="a size that only a run tells"):
        lower(builder.build((builder.op("GlobalLpPool", builder.op("Unsqueeze", found, axes=(0, 1))),)), "torch", 0)
    with pytest.raises(NoDecomposition, match="a size that only a run tells"):
        decompose(builder.build((builder.op("flip", found, domain="aten", dims=(0,)),)), 18)


def test_small_programs_follow_values_of_unknown_size() -> None:
    followed = Counter[str]()
    for case in range(600):
        graph = generate(4, case, strategy="small", memory=Turn(0, case))
        unknown = {name for name, t in graph.types.items() if not t.known}
        followed.update(node.qualified for node in graph.nodes if unknown.intersection(node.inputs))
    assert len(followed) > 15


@pytest.mark.parametrize("name", [op.qualified for op in TABLE.values() if op.data_dependent])
def test_campaigns_take_such_operators(name: str, tmp_path: Path) -> None:
    _, summary = fuzz(tmp_path / "c", "--compiler", "numpy", "--only-operator", name, "-n", 12)
    assert summary["tested"] >= 6
    assert (summary["findings"], summary["unsound_variants"]) == (0, 0)


def test_a_model_with_such_a_node_is_tested_with_variants(model: Path, tmp_path: Path) -> None:
    _, summary = fuzz(tmp_path / "c", "--compiler", "numpy", "--seeds", model, "-n", 3)
    assert (summary["tested"], summary["findings"]) == (3, 0)
    assert summary["pairs"] >= 3
