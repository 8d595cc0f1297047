"""Memory read as elements of another width."""

from __future__ import annotations

import numpy as np
import pytest

from polyjuice.egraph import Rewriter, load
from polyjuice.interpret import EvaluationError, evaluate
from polyjuice.ir import Graph, GraphError, TensorType
from polyjuice.numerics import Mode, analyse
from polyjuice.ops import GraphBuilder
from polyjuice.ops.memory import SEEN, seen_as


def seen(dtype: str, shape: tuple[int, ...], **attrs: object) -> Graph:
    b = GraphBuilder()
    x = b.input(TensorType(dtype, shape))
    return b.build(b.multi("view.dtype", x, domain="aten", **attrs))


@pytest.mark.parametrize("of", SEEN)
@pytest.mark.parametrize("to", SEEN)
def test_bytes_are_those_of_numpy(of: str, to: str) -> None:
    attrs = seen_as(TensorType(of, (3, 8)), to)
    x = np.random.default_rng(3).integers(1, 100, (3, 8)).astype(of)
    if attrs is None:
        assert np.dtype(of).itemsize == np.dtype(to).itemsize
        return
    graph = seen(of, (3, 8), **attrs)
    (result,) = evaluate(graph, [x])
    assert result.tobytes() == x.tobytes()
    (analysis,) = analyse(graph, [x], mode=Mode(wrap=True))
    assert (analysis.bound < 1e-37).all(), "denormal numbers may be flushed"
    assert np.asarray(analysis.reference).astype(to).tobytes() == x.tobytes()


def test_an_element_is_known_where_all_of_its_bytes_are() -> None:
    b = GraphBuilder()
    x = b.input(TensorType("float32", (3,)))
    third = b.op("Div", x, b.constant(np.float32(3)))
    y = b.op("Concat", x, third, axis=0)
    wide = b.multi("view.dtype", y, domain="aten", of="float32", to="int64", size=(3,))
    narrow = b.multi("view.dtype", y, domain="aten", of="float32", to="int16", size=(12,))
    graph = b.build([*wide, *narrow])
    known = [np.isfinite(a.bound).tolist() for a in analyse(graph, [np.float32([1, 2, 4])], mode=Mode(wrap=True))]
    assert known == [[True, False, False], [True] * 6 + [False] * 6]


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"of": "int32", "to": "int32", "size": (2, 3)}, "of another width"),
        ({"of": "int32", "to": "int64", "size": (2, 1)}, "of another width"),
        ({"of": "int32", "to": "int16", "size": (2, 3)}, "has the shape"),
        ({"of": "float32", "to": "int16", "size": (2, 6)}, "is given as float32"),
        ({"of": "int32", "to": "bool", "size": (2, 12)}, "seen as bool"),
    ],
)
def test_what_is_no_such_view_is_refused(attrs: dict[str, object], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        seen("int32", (2, 3), **attrs)


def test_seen_as_another_type_and_back_it_is_the_same() -> None:
    b = GraphBuilder()
    x = b.input(TensorType("int64", (2, 3)))
    (y,) = b.multi("view.dtype", x, domain="aten", of="int64", to="int16", size=(2, 12))
    (z,) = b.multi("view.dtype", y, domain="aten", of="int16", to="int64", size=(2, 3))
    graph = b.build([b.op("Neg", z)])
    rewriting = Rewriter(load(only=["view-dtype-back"])).rewrite(graph, 1, "random", 12)
    assert ["Neg"] in [[node.op for node in variant.graph.nodes] for variant in rewriting.variants]


def test_bits_of_a_type_of_another_width_have_no_value() -> None:
    """Reduction tries such programs, and must be told so."""
    build = GraphBuilder()
    graph = build.build([build.op("BitCast", build.input(TensorType("float32", (2,))), to="int16")])
    with pytest.raises(EvaluationError, match="int16 has not the width"):
        evaluate(graph, [np.ones(2, np.float32)])
