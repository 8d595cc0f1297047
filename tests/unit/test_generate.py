"""Seed graphs of every strategy: valid, of the requested size, diverse, and a function of their seed alone."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import onnx
import pytest

from polyjuice import cli
from polyjuice.frameworks.onnx import graph_files
from polyjuice.generate import SMALL_STRATEGIES, STRATEGIES, Turn, blocks, generate
from polyjuice.generate.growth import Growth
from polyjuice.inputs import profiles
from polyjuice.ir import Graph, GraphError, TensorType, digest, dtypes
from polyjuice.ops import TABLE, check, entry, without_complex
from polyjuice.ops.sampling import FewSizes
from polyjuice.targets import of_no_compiler
from tests.support.commands import polyjuice, refusal

GRAPHS = 360


ORDINARY = {(op.domain, op.name) for op in without_complex(TABLE.values())}
LARGE = [strategy for strategy in STRATEGIES if strategy not in SMALL_STRATEGIES]
"""The strategies whose graphs have the requested number of operators."""


@pytest.fixture(scope="module", params=LARGE)
def strategy(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def graphs(strategy: str) -> list[Graph]:
    """Some graphs of 1 to 20 operators."""
    return [generate(1 + seed % 20, seed, strategy=strategy) for seed in range(GRAPHS)]


@pytest.mark.long
def test_every_operator_of_the_table_occurs(strategy: str, graphs: Sequence[Graph]) -> None:
    seen = {(node.domain, node.op) for graph in graphs for node in graph.nodes}
    for seed in range(3000):
        if seen.issuperset(ORDINARY):
            return
        seen.update((node.domain, node.op) for node in generate(20, f"more {seed}", strategy=strategy).nodes)
    assert seen.issuperset(ORDINARY), ORDINARY - seen


def test_graphs_are_deep_as_well_as_wide(strategy: str, graphs: Sequence[Graph]) -> None:
    depths = []
    for graph in (graph for operators in (18, 19, 20) for graph in graphs[operators - 1 :: 20]):
        depth: dict[str, int] = {}
        for node in graph.nodes:
            below = max((depth.get(name, 0) for name in node.inputs), default=0)
            depth.update(dict.fromkeys(node.outputs, below + 1))
        depths.append(max(depth.values()))
    deepest, usual = (8, 4) if strategy == "default" else (5, 3)  # the default prefers recent values
    assert max(depths) >= deepest
    assert sum(depths) / len(depths) > usual


def test_equal_seeds_give_equal_graphs_and_other_seeds_others() -> None:
    digests = [digest(generate(8, seed)) for seed in range(50)]
    assert digests == [digest(generate(8, seed)) for seed in range(50)]
    assert len(set(digests)) == 50


def test_few_types_leave_no_graph_without_operators() -> None:
    """The graph has chosen one element type for most of its inputs."""
    few = {"float32", "int64", "bool"}
    graphs = [generate(2, seed, lambda _, x, y: {t.dtype for t in (*x, *y)} <= few) for seed in range(100)]
    assert {len(graph) for graph in graphs} == {2}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_the_operators_that_are_named_occur(strategy: str) -> None:
    operators = [TABLE["", name] for name in ("Add", "Relu", "MatMul", "Transpose", "Concat")]
    graphs = [generate(8, seed, strategy=strategy, operators=operators) for seed in range(40)]
    assert {node.op for graph in graphs for node in graph.nodes} == {op.name for op in operators}


def test_every_edge_has_its_turn_once() -> None:
    edges = [("edge", "Add", op.qualified) for op in TABLE.values()]
    turns = Counter(edge for index in range(64) for edge in edges if not Turn(7, index).covers(edge))
    assert turns == Counter(edges)
    assert [e for e in edges if not Turn(7, 3).covers(e)] == [e for e in edges if not Turn(7, 3 + 64).covers(e)]
    assert [e for e in edges if not Turn(7, 3).covers(e)] != [e for e in edges if not Turn(8, 3).covers(e)]


def test_every_operator_has_its_turn_on_every_element_type() -> None:
    pairs = [(op, dtype) for op in TABLE.values() for dtype in op.types[op.variable(0)]]
    cases = -(-2 * len(pairs) // 5)
    due = [one for index in range(cases) for one in Turn(7, index).due(list(TABLE.values()), 5)]
    assert [(one.op, one.dtype) for one in due[: len(pairs)]] != pairs
    met = Counter((one.op.qualified, one.dtype) for one in due)
    assert met.keys() == {(op.qualified, dtype) for op, dtype in pairs}


@pytest.mark.parametrize(("dtype", "width"), [("int8", 8), ("int64", 64)])
def test_shift_amounts_reach_the_width_and_beyond(dtype: str, width: int) -> None:
    op = TABLE["aten", "bitwise_left_shift"]
    drawn = [op.sample(random.Random(seed), TensorType(dtype, (3,))) for seed in range(200)]
    ranges = [values for sample in drawn if sample and (values := sample.operands[0].values)]
    assert len(ranges) == len(drawn)
    assert min(low for low, _ in ranges) == 0
    assert sum(high >= width for _, high in ranges) > 10
    assert sum(high < width for _, high in ranges) > 100


def test_followers_are_operators() -> None:
    known = {op.qualified for op in TABLE.values()}
    unknown = {op.qualified: missing for op in TABLE.values() if (missing := {*op.followers.split()} - known)}
    assert not unknown


COUNT = 5


def generated(out: Path, *arguments: object) -> dict[str, Any]:
    done = polyjuice("generate", "-n", COUNT, "--out", out, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert isinstance(summary, dict)
    return summary


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_it_writes_valid_graphs_and_measures_them(tmp_path: Path, strategy: str) -> None:
    summary = generated(tmp_path / "out", "--strategy", strategy, "--nodes", 7)
    assert (summary["graphs"], summary["valid"]) == (COUNT, COUNT)
    assert 0 < summary["finite"] <= COUNT
    assert summary["ms_per_graph"] > 0
    sizes = range(1, 8) if strategy in SMALL_STRATEGIES else (7,)
    assert min(sizes) <= summary["metrics"]["NOO"] <= max(sizes)
    paths = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in paths] == [f"{number:05d}.onnx" for number in range(COUNT)]
    assert all(len(check(graph_files.load(path))) in sizes for path in paths)
    again = json.loads(polyjuice("metrics", tmp_path / "out", "--json").stdout)
    assert again["metrics"]["OTC"] == summary["metrics"]["OTC"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    kept = tmp_path / "kept.onnx"
    kept.write_text("mine")
    assert "the folder is not empty; name a new one" in refusal("-n", 1, "--out", tmp_path, command="generate")
    assert "the folder is not empty; name a new one" in refusal("-n", 1, "--out", kept, command="generate")
    assert kept.read_text() == "mine"


def test_an_unknown_strategy_is_refused(tmp_path: Path) -> None:
    message = refusal("-n", 1, "--out", tmp_path / "out", "--strategy", "guess", command="generate")
    assert "choose from default" in message
    assert not (tmp_path / "out").exists()


def test_the_picking_rate_of_isra_can_be_set(tmp_path: Path) -> None:
    """At a rate of 0, no operator reads the result of another."""
    metrics = generated(tmp_path / "out", "--strategy", "isra", "--picking-rate", 0)["metrics"]
    assert metrics["NOO"] == 10
    assert metrics["NOP"] == 0
    message = refusal("-n", 1, "--out", tmp_path / "none", "--picking-rate", 0.5, command="generate")
    assert "--strategy isra" in message


def test_disrupted_graphs_come_with_what_is_broken(tmp_path: Path) -> None:
    out = tmp_path / "out"
    summary = generated(out, "--strategy", "hirgen", "--disruptive", "--nodes", 5)
    assert (summary["graphs"], summary["valid"]) == (COUNT, 0)
    broken = json.loads((out / "broken.json").read_text())
    assert sorted([*broken, "broken.json"]) == sorted(path.name for path in out.iterdir())
    for name, described in broken.items():
        model = onnx.load(out / name)
        (node,) = [node for node in model.graph.node if described["node"] in node.output]
        assert ".".join(filter(None, [node.domain, node.op_type])) == described["operator"]
        assert described["kind"] in ("type", "shape")
        assert described["given"] != described["due"]


def test_only_hirgen_disrupts(tmp_path: Path) -> None:
    for strategy in sorted({*STRATEGIES} - {"hirgen"}):
        message = refusal(
            "-n", 1, "--out", tmp_path / "out", "--strategy", strategy, "--disruptive", command="generate"
        )
        assert "--strategy hirgen" in message
    assert not (tmp_path / "out").exists()


def test_an_invalid_graph_is_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ill_typed(graph: object) -> None:
        raise GraphError("node 0: wrong")

    monkeypatch.setattr(profiles, "check", ill_typed)
    with pytest.raises(SystemExit) as left:
        cli.app(["generate", "-n", "2", "--out", str(tmp_path / "out"), "--json"], standalone_mode=False)
    assert left.value.code == 3
    captured = capsys.readouterr()
    assert json.loads(captured.out)["valid"] == 0
    assert "00001.onnx is invalid: node 0: wrong" in captured.err


SEEDS = 60
BLOCKS = sorted({target.part for target in of_no_compiler()})


def built(block: str, seed: int, nodes: int) -> tuple[Growth, bool]:
    growth = Growth(FewSizes(f"block {seed}"), None)
    target = growth.rng.choice([target for target in of_no_compiler() if target.part == block])
    return growth, blocks.build_target(growth, nodes, target)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_is_mostly_built_whole(block: str) -> None:
    made = [built(block, seed, 100) for seed in range(SEEDS)]
    assert sum(whole for _, whole in made) > SEEDS / 2
    assert max(len(growth) for growth, _ in made) >= 2
    for growth, _ in made:
        if len(growth):
            check(growth.build())


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_ends_where_the_graph_is_full(block: str) -> None:
    made = [built(block, seed, 1)[0] for seed in range(SEEDS)]
    assert {len(growth) for growth in made} <= {0, 1}


def test_a_block_leaves_out_what_is_not_allowed() -> None:
    growth = Growth(FewSizes("refused"), lambda op, operands, results: op.name != "Exp")
    for _ in range(300):
        blocks.build(growth, 2_000)
    graph = check(growth.build())
    assert "Exp" not in {node.op for node in graph.nodes}
    assert {"ReduceMax", "Sub", "MatMul", "Conv"} <= {node.op for node in graph.nodes}


def test_every_graph_is_valid_and_of_the_size_asked_for(graphs: Sequence[Graph]) -> None:
    """No node is computed in vain."""
    for graph in graphs:
        assert check(graph) is graph
        read = set(chain(graph.outputs, *(node.inputs for node in graph.nodes)))
        assert read.issuperset(chain(*(node.outputs for node in graph.nodes)))
    assert [len(graph) for graph in graphs] == [1 + seed % 20 for seed in range(GRAPHS)]
    assert max(t.size for graph in graphs for t in graph.types.values()) <= 20_000


def test_graphs_are_diverse(strategy: str, graphs: Sequence[Graph]) -> None:
    """In element types, ranks, broadcasting, outputs, readers, inputs, constants and operators."""
    of_inputs = Counter(t.dtype for graph in graphs for t in graph.input_types)
    assert set(dtypes.ALL) <= set(of_inputs) <= set(dtypes.EVERY)
    assert of_inputs.most_common(1)[0][0] == "float32"
    ranks = Counter(t.rank for graph in graphs for t in graph.types.values())
    assert sorted(ranks) == [0, 1, 2, 3, 4, 5]
    assert min(ranks.values()) > GRAPHS / 11
    broadcasts = [
        node
        for graph in graphs
        for node in graph.nodes
        if (op := entry(node)) and op.elementwise and len({graph.types[name].shape for name in node.inputs}) > 1
    ]
    assert len(broadcasts) > GRAPHS / 5
    counts = Counter(len(graph.outputs) for graph in graphs)
    assert min(counts) == 1
    assert counts[1] > GRAPHS / 27
    assert sum(counts[n] for n in counts if n > 1) > GRAPHS / 6
    reads = [Counter(chain(*(node.inputs for node in graph.nodes))) for graph in graphs]
    assert sum(max(one.values(), default=0) > 1 for one in reads) > GRAPHS / 3
    used = sum(
        name in one or name in graph.outputs for graph, one in zip(graphs, reads, strict=True) for name in graph.inputs
    )
    assert used > 2 * (sum(len(graph.inputs) for graph in graphs) - used)
    arrays = [array for graph in graphs for array in graph.constants.values() if array.size > 1]
    uniform = sum(bool((array == array.reshape(-1)[0]).all()) for array in arrays)
    assert 10 < uniform < len(arrays) - 10
    seen = {(node.domain, node.op) for graph in graphs for node in graph.nodes}
    assert len(seen & ORDINARY) > 0.8 * len(ORDINARY)
    least = GRAPHS / 11 if strategy == "default" else 3  # with equal odds for all operators, a cast is one of many
    assert sum(any(node.op == "Cast" for node in graph.nodes) for graph in graphs) > least
    assert sum(len({t.dtype for t in graph.types.values()}) > 1 for graph in graphs) > GRAPHS / 2
