"""Diversity metrics against values worked out by hand, and the command that prints them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyjuice.frameworks.onnx import graph_files
from polyjuice.generate import METRICS, TABLE_OPERATORS, generate, measure
from polyjuice.generate.call_space import OPS, call_space
from polyjuice.generate.published.metrics import possible_input_counts
from polyjuice.ir import Graph, Node, TensorType, dtypes
from polyjuice.ops import GraphBuilder
from polyjuice.plugins import installable
from tests.support.commands import polyjuice, refusal
from tests.support.graphs import apply, graph, typed

MATRIX = typed("float32[2,3]")


def triangle() -> Graph:
    """Add -> Relu -> Mul, and Add -> Mul."""
    return graph("float32[2,3] x y", "t = Add(x, y); Mul(Relu(t), t)")


def there_and_back() -> Graph:
    """Transpose -> Softmax -> Transpose."""
    return graph("float32[2,3] x", "Transpose(Softmax(Transpose(x, perm=(1, 0)), axis=1), perm=(1, 0))")


def one(op: str, *operands: TensorType, **attrs: object) -> Graph:
    return apply(op, *operands, **attrs)


def metrics_of(*graphs: Graph, corpus: Sequence[str] = ()) -> dict[str, float]:
    return dict(measure(graphs, corpus).metrics)


def test_a_triangle() -> None:
    found = metrics_of(triangle(), corpus=["Add", "Mul", "Neg", "Relu"])
    assert found == {
        "NOO": 3,
        "NOT": 3,
        "NOP": 3,  # Add -> Relu, Relu -> Mul, Add -> Mul.
        "NTR": 1,  # Add -> Relu -> Mul.
        "NSA": 1,  # [2, 3], and no attributes.
        "OTC": 3 / 4,  # not Neg.
        "IDC": 3 / 4,  # each has one number of inputs only
        "ODC": 3 / 4,  # {2}, {1}, {1}, none
        "SEC": 3 / 16,
        "DEC": 1 / 64,
        "SAC": 3 / 4,  # one shape each
        "vertex_diversity": (1 / 2048 + 1 / 1024 + 1 / 2048) / 4,  # one call each; N_est is tested below
        "typed_vertex_diversity": (1 / 2048 + 1 / 1024 + 1 / 2048) / 4,
        "edge_diversity": 3 / 16,
        "operator_datatype": 3 / (4 * len(dtypes.ALL)),  # float32 each
        "operator_shape": 3,
        "operator_edge": 3 / 16,
        "operator_instances": 3,
        "instances_per_operator": 3 / 4,
    }


def test_attributes_and_paths_to_the_same_type() -> None:
    found = metrics_of(there_and_back(), there_and_back())
    assert found["NOO"] == 3
    assert found["NOT"] == 2
    assert found["NOP"] == 2  # Transpose -> Softmax, Softmax -> Transpose
    assert found["NTR"] == 1
    assert found["NSA"] == (4 + 2) / 2  # [2, 3], [3, 2], perm, axis; then the two shapes alone
    assert found["SEC"] == 2 / 4
    assert found["DEC"] == 1 / 8
    assert found["SAC"] == (3 + 2) / 2  # Transpose: [2, 3], [3, 2], perm; Softmax: [3, 2], axis
    assert found["operator_instances"] == 3


def test_only_attribute_lists_that_are_new_count_in_nsa() -> None:
    """So a graph's count depends on the graphs before it. The sum over all graphs does not."""
    shared, both = one("Softmax", MATRIX, axis=1), there_and_back()  # Softmax has the same attributes in both
    assert [values["NSA"] for _, values in measure([shared, both]).growth] == [2, (2 + 3) / 2]
    assert [values["NSA"] for _, values in measure([both, shared]).growth] == [4, (4 + 1) / 2]


def test_numbers_of_inputs_above_five_count_as_five() -> None:
    graphs = [one("Concat", *[MATRIX] * count, axis=0) for count in (2, 3, 6, 7)]
    assert metrics_of(*graphs)["IDC"] == 3 / 5  # 2, 3, 5 of 1 to 5
    assert possible_input_counts("Gemm") == 2
    assert possible_input_counts("QLinearConv") == 1  # 8 or 9
    assert possible_input_counts("no.such") == 1


def test_constants_are_inputs_and_absent_operands_are_not() -> None:
    weights, window = np.ones((4, 2, 3), np.float32), "strides=(1,), pads=(0, 0), dilations=(1,)"
    graphs = [
        graph("float32[1,2,5] x", f"Conv(x, weights{bias}, {window})", weights=weights)
        for bias in ("", ", [1, 1, 1, 1]")
    ]
    found = metrics_of(*graphs)
    assert found["IDC"] == 2 / 2
    assert found["NOP"] == 0  # a constant makes no edge
    assert found["SAC"] == 4  # [1, 2, 5], [4, 2, 3], [4], one attribute list
    assert found["vertex_diversity"] == 1 / call_space("Conv").size  # weights are parameters, the data are the same
    assert found["operator_instances"] == 2

    build = GraphBuilder()
    node = Node("Foo", (build.input(MATRIX), "", build.input(MATRIX)), ("z",), {}, "custom", opaque=True)
    build.append(node, [MATRIX])
    measured = measure([build.build(["z"])])
    assert measured.outside == ("custom.Foo",)
    assert measured.operators == len(TABLE_OPERATORS) + 1
    assert measured.metrics["IDC"] == 1 / measured.operators
    assert measured.metrics["operator_instances"] == 1


def test_out_degrees() -> None:
    """Every use is an edge. An output without a reader counts as read once. Twelve or more uses count as twelve."""

    def fan(count: int) -> Graph:
        return graph("float32[2,3] x", f"y = Relu(x); {'Neg(y), ' * count}")

    twice = graph("float32[2,3] x", "y = Relu(x); Sub(y, y)")
    assert metrics_of(twice)["ODC"] == (1 + 1) / 2  # Relu {2}, Sub {1}
    assert metrics_of(twice, fan(2))["ODC"] == (1 + 1 + 1) / 3  # Relu {2} both times
    assert metrics_of(twice, fan(1))["ODC"] == (2 + 1 + 1) / 3  # Relu {2, 1}
    assert metrics_of(fan(12), fan(15))["ODC"] == (1 + 1) / 2  # Relu {12}, Neg {1}
    halves = [one("Split", MATRIX, axis=0, split=split) for split in ((1, 1), (2,))]
    assert metrics_of(*halves)["ODC"] == 2  # {2, 1}: as many as it has outputs


def test_a_subgraph_is_an_attribute() -> None:
    def branching(then: str) -> Graph:
        branches = {f"{key}_branch": graph("bool[] c; float32[2,3] x", f"{op}(x)")
                    for key, op in (("then", then), ("else", "Neg"))}  # fmt: skip
        return one("If", typed("bool[]"), MATRIX, **branches)

    assert metrics_of(branching("Relu"), branching("Relu"))["operator_instances"] == 1
    found = metrics_of(branching("Relu"), branching("Abs"))
    assert (found["NOO"], found["OTC"], found["operator_instances"]) == (1, 1, 2)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("Relu", 4**5),
        ("Add", 4**5 * 2),
        ("Concat", 4**5 * 2 * (2 + 1)),  # variadic; axis 0 to 4: floor(log2 5) = 2
        ("Softmax", 4**5 * (2 + 1)),
        ("ReduceMax", 4**5 * (12 + 1)),  # keepdims 2, axes 5 to the power of 5: floor(log2 6250) = 12
        ("Cast", 4**5 * (4 + 1)),  # to one of seventeen types
        ("PRelu", 4**5),  # the slope is a parameter
        ("aten.dot", 4 * 2),  # vectors
        ("aten.trace", 4**2),
        ("GlobalMaxPool", 4**5),
        ("no.such", 4**5),
    ],
)
def test_room_for_calls(name: str, size: int) -> None:
    assert call_space(name).size == size


def test_every_operator_of_the_table_has_room_for_calls() -> None:
    assert all(call_space(name).size >= 4 for name in OPS)
    assert all(op.data_inputs < (op.arity[1] or 0) for op in OPS.values() if op.data_inputs is not None)


def test_element_types_tell_calls_apart_in_one_of_two_ways() -> None:
    integers = TensorType("int32", MATRIX.shape)
    found = metrics_of(one("Add", MATRIX, MATRIX), one("Add", integers, integers))
    assert found["vertex_diversity"] == 1 / 2048
    assert found["typed_vertex_diversity"] == 2 / 2048
    assert found["operator_datatype"] == 2 / len(dtypes.ALL)
    assert found["operator_shape"] == 1
    assert found["operator_instances"] == found["instances_per_operator"] == 2


def test_an_attribute_tells_calls_apart_where_it_has_values_to_choose_from() -> None:
    rows, columns = (one("Softmax", MATRIX, axis=axis) for axis in (0, 1))
    assert metrics_of(rows, columns)["vertex_diversity"] == 2 / 3072
    selu = [one("Selu", MATRIX, alpha=alpha) for alpha in (1.0, 2.0)]  # the table draws its default alone
    assert metrics_of(*selu)["vertex_diversity"] == 1 / 1024
    assert metrics_of(*selu)["operator_instances"] == 2


def test_vertex_diversity_is_capped() -> None:
    graphs = [one("aten.dot", v, v) for v in (typed(f"float32[{n}]") for n in range(1, 10))]
    assert metrics_of(*graphs[:2])["vertex_diversity"] == 2 / 8
    assert metrics_of(*graphs)["vertex_diversity"] == 1  # nine calls, where eight were estimated
    assert measure(graphs).instances == {"aten.dot": 9}


def printed(folder: Path, *arguments: object) -> str:
    done = polyjuice("metrics", *arguments, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_growth_is_that_of_the_prefixes() -> None:
    graphs = [generate(5, seed) for seed in range(12)]
    measured = measure(graphs)
    assert [count for count, _ in measured.growth] == [1, 2, 5, 10, 12]
    assert all(values == measure(graphs[:count]).metrics for count, values in measured.growth)
    assert measured.growth[-1][1] == measured.metrics
    seen = measure(graphs, ())
    assert seen.growth[0][1] == measure(graphs[:1], seen.instances).metrics  # over the corpus of the whole suite


@settings(max_examples=20)
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=5), st.sampled_from([TABLE_OPERATORS, ()]))
def test_shares_are_shares_and_never_fall(seeds: list[int], corpus: Sequence[str]) -> None:
    growth = measure([generate(4, seed) for seed in seeds], corpus).growth
    for metric in METRICS:
        values = [values[metric.name] for _, values in growth]
        assert min(values) >= 0
        if metric.share:
            assert values == sorted(values)
            assert max(values) <= 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model, and another in a folder that comes before it."""
    (tmp_path / "a").mkdir()
    graph_files.save(triangle(), tmp_path / "z.onnx")
    graph_files.save(there_and_back(), tmp_path / "a" / "b.onnx")
    (tmp_path / "notes.txt").write_text("no model")
    return tmp_path


def test_the_command_prints_one_json_object(folder: Path) -> None:
    out = printed(folder, folder, "--json")
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    expected = measure([there_and_back(), triangle()])  # by path, and the same from files as from memory
    assert found["graphs"] == 2
    assert found["metrics"] == expected.metrics
    assert [(row["graphs"], row["metrics"]) for row in found["growth"]] == list(expected.growth)
    assert found["corpus"] == {"name": "table", "operators": len(TABLE_OPERATORS), "outside": []}
    assert found["instances"] == {"Add": 1, "Mul": 1, "Relu": 1, "Softmax": 1, "Transpose": 2}


@pytest.mark.parametrize(("corpus", "operators", "outside"), [("seen", 5, []), ("names", 6, ["Softmax"])])
def test_the_corpus_is_chosen(folder: Path, corpus: str, operators: int, outside: list[str]) -> None:
    (folder / "names").write_text("Add\nMul\nRelu\n\nTranspose \nNeg\n")
    found = json.loads(printed(folder, folder, "--corpus", corpus, "--json"))
    assert found["corpus"] == {"name": corpus, "operators": operators, "outside": outside}
    assert found["metrics"]["OTC"] == 5 / operators


def test_without_json_a_person_reads_a_table(folder: Path) -> None:
    (folder / "names").write_text("Add\nMul\nRelu\nTranspose\n")
    lines = printed(folder, folder, "--corpus", folder / "names").splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.split()[0] in {m.name for m in METRICS}}
    assert rows["OTC"][:2] == ["100", "%"]
    assert rows["NSA"][0] == "2.50"  # (4 + 1) / 2
    assert len(rows) == len(METRICS)
    assert lines[-1] == "1 of them were not in the corpus, and count too: Softmax"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent"], ["absent: no such folder", "give one"]),
        (["z.onnx"], ["z.onnx: no such folder"]),
        (["empty"], ["empty: holds no ONNX model", "*.onnx"]),
        (["broken"], [str(Path("broken", "bad.onnx")), "not an ONNX model", "fix that file or move it"]),
        ([".", "--corpus", "absent"], ["--corpus absent: no such file", "table, seen"]),
        ([".", "--corpus", "blank"], ["--corpus blank: the file is empty"]),
        ([".", "--corpus", "binary"], ["--corpus binary: not a text file"]),
    ],
)
def test_a_mistake_is_one_line(folder: Path, arguments: Sequence[str], words: Sequence[str]) -> None:
    for name in ("empty", "broken"):
        (folder / name).mkdir()
    (folder / "broken/bad.onnx").write_text("no model")
    (folder / "blank").write_text("\n")
    (folder / "binary").write_bytes(b"\xff\xfe\x00")
    message = refusal(*arguments, "--json", command="metrics", cwd=folder)
    assert all(word in message for word in words), message


def test_a_plot_is_drawn_where_matplotlib_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(printed(folder, folder, "--plot", folder / "curves.png", "--json"))["graphs"] == 2
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "curves.odd" in refusal(folder, "--plot", folder / "curves.odd", command="metrics")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = refusal(folder, "--plot", folder / "curves.png", command="metrics")
    assert message == installable("--plot needs matplotlib: pip install 'polyjuice-fuzzer[report]'")
