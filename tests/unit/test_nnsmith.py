"""NNSmith's claims (NNSmith, section 3.2): valid graphs by construction, growth both ways, and sizes in all bins."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from polyjuice import cli
from polyjuice.campaign.seeds import Seeds
from polyjuice.generate import SolverMissing, generate
from polyjuice.generate.published import binning
from polyjuice.generate.published.constraints import System
from polyjuice.generate.published.nnsmith import NNSmith, concrete
from polyjuice.generate.published.smt import Solver, load_z3
from polyjuice.inputs import make_inputs
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.ops import TABLE, Op, check

MISSING = "the strategy nnsmith needs z3: pip install 'polyjuice-fuzzer[smt]'"


@pytest.fixture(scope="module")
def graphs() -> list[Graph]:
    return [generate(10, seed, strategy="nnsmith") for seed in range(40)]


def grown(seed: object = 0) -> NNSmith:
    return NNSmith(random.Random(str(seed)), None)


def system() -> System:
    return System(Solver(load_z3(), 0))


# --- graphs ----------------------------------------------------------------------------------------------------------


def test_every_graph_runs_and_gives_what_it_declares(graphs: Sequence[Graph]) -> None:
    for seed, graph in enumerate(graphs):
        results = evaluate(check(graph), make_inputs(graph, "exact", str(seed)))
        assert [result.shape for result in results] == [t.shape for t in graph.output_types]


def test_placeholders_become_inputs_and_weights(graphs: Sequence[Graph]) -> None:
    assert all(graph.inputs for graph in graphs)
    assert sum(bool(graph.constants) for graph in graphs) > len(graphs) / 2


def takes_complex(op: Op) -> bool:
    """Whether an operator accepts or returns complex numbers, which this strategy does not generate."""
    return not set(dtypes.COMPLEX).isdisjoint([*op.results, *chain.from_iterable(op.types.values())])


@pytest.mark.parametrize("op", [pytest.param(op, id=op.qualified) for op in TABLE.values() if not takes_complex(op)])
def test_what_an_entry_says_of_symbolic_sizes_holds_for_all_that_are_found(op: Op) -> None:
    """``settled`` infers the types once more, for the sizes of the bins. Each operator can be the first."""
    made = []
    for seed in range(100):
        graph = grown(f"{op.qualified} {seed}")
        if graph.insert_apart(op):
            made.append(check(graph.settled()))
        if len(made) == 2:
            break
    assert len(made) == 2
    assert {node.qualified for graph in made for node in graph.nodes} == {op.qualified}


def test_only_what_is_accepted_occurs_whatever_sizes_are_found() -> None:
    def accepts(op: Op, types: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        return all(t.dtype in ("float32", "bool") and t.size % 7 for t in (*types, *results))

    for seed in range(30):
        graph = generate(10, seed, accepts, strategy="nnsmith")
        assert len(graph) == 10
        assert {t.dtype for t in graph.types.values()} <= {"float32", "bool"}
        read = {name for node in graph.nodes for name in (*node.inputs, *node.outputs)}
        assert all(graph.types[name].size % 7 for name in read)


def test_where_nothing_is_accepted_the_graph_is_empty() -> None:
    assert len(generate(3, 0, lambda op, types, results: False, strategy="nnsmith")) == 0


# --- insertion -------------------------------------------------------------------------------------------------------


def test_backward_insertion_takes_the_place_of_a_placeholder() -> None:
    graph = grown()
    assert graph.insert_apart(TABLE["", "Sqrt"])
    assert graph.insert_backward(TABLE["", "Exp"])
    assert graph.insert_forward(TABLE["", "Log"])
    exp, sqrt, log = graph.settled().nodes
    assert (exp.op, sqrt.op, log.op) == ("Exp", "Sqrt", "Log")
    assert exp.outputs == sqrt.inputs
    assert log.inputs[0] in (*exp.inputs, *exp.outputs, *sqrt.outputs)


def test_backward_insertion_finds_operands_for_the_shape_that_is_wanted() -> None:
    """This includes operators whose results and operands differ in shape. Other operators read them; they read none."""
    found = Counter()
    for seed in range(60):
        graph = grown(seed)
        graph.insert_apart(TABLE["", "Neg"])
        for name in ("MatMul", "Slice", "Concat", "Transpose", "MaxPool", "Pad", "ReduceSum"):
            before = graph.system.solver.questions
            if graph.insert_backward(TABLE["", name]):
                found[name] += 1
                found["asked"] += graph.system.solver.questions > before
        nodes = graph.settled().nodes
        assert all(set(node.outputs) & {x for later in nodes for x in later.inputs} for node in nodes[:-1])
    assert min(found.values()) > 3
    assert len(found) == 8


def test_both_ways_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    used: Counter[str] = Counter()

    def counting(way: str) -> Callable[[NNSmith, Op], bool]:
        insert = getattr(NNSmith, way)

        def counted(self: NNSmith, op: Op) -> bool:
            done: bool = insert(self, op)
            used[way] += done
            return done

        return counted

    for way in ("insert_forward", "insert_backward"):
        monkeypatch.setattr(NNSmith, way, counting(way))
    for seed in range(30):
        generate(10, seed, strategy="nnsmith")
    assert sum(used.values()) > 30 * 8
    assert min(used.values()) > sum(used.values()) / 5


def test_the_solver_is_asked_seldom() -> None:
    asked = 0
    for seed in range(30):
        graph = grown(seed)
        graph.graph(10)
        asked += graph.system.solver.questions
    assert 30 / 2 < asked < 30 * 5


# --- binning ---------------------------------------------------------------------------------------------------------


def input_sizes(count: int) -> Counter[int]:
    """How many input sizes are in each bin. A size of 1 is no choice of the solver."""
    graphs = (generate(10, seed, strategy="nnsmith") for seed in range(count))
    bins = Counter(min(d.bit_length(), binning.BINS) for graph in graphs for t in graph.input_types for d in t.shape)
    del bins[1]
    return bins


def test_binning_spreads_sizes_over_all_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    binned = input_sizes(50)
    monkeypatch.setattr(binning, "assign", lambda *_: None)
    as_found = input_sizes(50)
    assert set(binned) == {2, 3, 4, 5, 6, 7}
    large = [sum(bins[i] for i in (5, 6, 7)) / sum(bins.values()) for bins in (binned, as_found)]
    assert large[0] > 2 * large[1]


def test_nearly_all_bins_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, kept = [], []
    squeeze = System.squeeze

    def counted(self: System, bins: dict[int, Any]) -> bool:
        done = squeeze(self, bins)
        if bins:
            (kept if done else drawn).append(len(bins))
        return done

    monkeypatch.setattr(System, "squeeze", counted)
    for seed in range(40):
        generate(10, seed, strategy="nnsmith")
    assert sum(kept) > 9 * sum(drawn)


def test_bins_that_contradict_each_other_are_not_drawn() -> None:
    s = system()
    x, y, z = (s.unknown(1, 20_000, 3) for _ in range(3))
    assert s.equate(x, y)
    assert s.equate(z, x + 1000)
    assert not s.settle() or concrete(z) == concrete(x) + 1000
    for seed in range(20):
        binning.assign(s, [(x, y, 2)], 5_000, lambda: True, random.Random(seed))
        assert concrete((y, z)) == (concrete(x), concrete(x) + 1000)
        assert 2 * concrete(x) ** 2 <= 5_000


# --- constraints -----------------------------------------------------------------------------------------------------


def pooled(size: Any, kernel: int, stride: int) -> Any:
    if kernel > size:
        raise ValueError("the window does not fit")
    return (size - kernel) // stride + 1


def test_the_solver_finds_the_size_that_gives_a_result() -> None:
    s = system()
    size: Any = s.unknown(2, 100, 9)
    result = pooled(size, 3, 2)
    assert concrete(result) == 4
    assert s.equate(result, 20)
    assert s.settle()
    assert concrete(size) in (41, 42)
    assert concrete(result) == 20 == pooled(concrete(size), 3, 2)


def test_what_contradicts_a_decision_cannot_be_and_is_forgotten() -> None:
    s = system()
    size: Any = s.unknown(2, 100, 9)
    other: Any = s.unknown(2, 100, 5)
    assert size > other
    mark = s.mark()
    assert s.equate(other - size, 3) is False or not s.settle()
    s.rollback(mark)
    assert concrete((size, other)) == (9, 5)
    assert s.equate(size - other, 3)
    assert s.settle()
    assert concrete(size - other) == 3


def test_a_number_that_is_used_as_such_is_pinned() -> None:
    s = system()
    size: Any = s.unknown(2, 100, 9)
    assert list(range(size)) == list(range(9))
    assert not s.equate(size, 10)
    product: Any = s.unknown(2, 100, 4) * s.unknown(2, 100, 5)
    assert concrete(product) == 20
    assert s.equate(product, 35)
    assert s.settle()
    assert concrete(product) == 35


def computed(x: Any, y: Any, n: int) -> tuple[Any, ...]:
    compared = (x == y, x != y, x < y, x >= y, x <= 3, bool(x), x in (0, y))
    rounded = (x // n, x % n, (x + 2 * y) // n, (4 * x + 3) // 2, -(-x // n), n // (y * y + 1))
    return (
        *compared,
        *rounded,
        x + y - 3,
        2 * x - y,
        x * y,
        max(x, y),
        min(x, 4),
        7 - x,
        x - x,
        x / 4,
        sum((x, y)),
        abs(x),
        x**2,
        x + 0.5,
        x < 0.5,
    )


def test_symbolic_integers_compute_as_integers_do() -> None:
    rng, s = random.Random(0), system()
    for _ in range(300):
        a, b, n = rng.randint(-50, 50), rng.randint(-50, 50), rng.choice((-3, -1, 2, 5))
        assert concrete(computed(s.unknown(-99, 99, a), s.unknown(-99, 99, b), n)) == computed(a, b, n)


# --- reproducibility -------------------------------------------------------------------------------------------------


def test_a_graph_depends_on_its_seed_alone() -> None:
    """Earlier graphs of the process, and its hash seed, do not matter."""
    program = (
        "from polyjuice.generate import generate\nfrom polyjuice.ir import digest\n"
        "print(*(digest(generate(10, seed, strategy='nnsmith')) for seed in range(20)))"
    )
    digests = [digest(generate(10, seed, strategy="nnsmith")) for seed in reversed(range(20))][::-1]
    assert len(set(digests)) == 20
    other = "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == digests


# --- without the solver ----------------------------------------------------------------------------------------------


def test_a_missing_solver_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(SolverMissing) as caught:
        generate(1, 0, strategy="nnsmith")
    assert str(caught.value) == MISSING
    with pytest.raises(SolverMissing):
        Seeds(["nnsmith"], 10, 0)
    assert len(generate(3, 0, strategy="isra")) == 3


def test_a_missing_solver_is_a_problem_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    out = tmp_path / "out"
    for arguments in (
        ["generate", "-n", "1", "--strategy", "nnsmith", "--out", str(out)],
        ["fuzz", "--compiler", "numpy", "--seeds", "nnsmith", "-n", "1", "--out", str(out)],
    ):
        monkeypatch.setattr(sys, "argv", ["polyjuice", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.run()
        assert left.value.code == 2
        assert capsys.readouterr().err == f"polyjuice: {MISSING}\n"
        assert not out.exists()
