"""The strategies of other papers keep what these claim, and the default strategy looks for new vertices and edges."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest

from polyjuice.campaign.kinds import BATCH
from polyjuice.campaign.seeds import Seeds
from polyjuice.generate import PICKING_RATE, STRATEGIES, Draft, InputTypes, Memory, Suite, Turn, generate
from polyjuice.generate.call_space import CallSpace, call_space
from polyjuice.generate.growth import Growth
from polyjuice.generate.published import binning, gencog, isra
from polyjuice.generate.published.constraints import System
from polyjuice.generate.published.nnsmith import NNSmith, concrete
from polyjuice.generate.published.smt import Solver, load_z3
from polyjuice.generate.vertices import Vertices
from polyjuice.inputs import make_inputs, settle
from polyjuice.interpret import evaluate
from polyjuice.ir import Graph, TensorType, attribute_texts, digest, dtypes, prune
from polyjuice.numerics import mistyped
from polyjuice.ops import TABLE, Op, Sample, check, complete_attrs, infer
from polyjuice.ops.sampling import MAX_RANK, size
from polyjuice.plugins import installable
from tests.support.commands import refusal

DRAWS = 300
"""Samples of each operator. A value with a probability of 2 % is missing for one operator in 3,000."""

OPERATORS = [pytest.param(op, id=op.qualified) for op in TABLE.values()]

AXES = {"axis", "dim"}
FLAGS = {
    "keepdims", "keepdim", "exclusive", "reverse", "largest", "sorted", "descending", "stable", "transA", "transB",
    "align_corners", "count_include_pad", "select_last_index", "is_causal", "detect_negative", "detect_positive",
    "fmod", "upper", "accumulate", "include_self", "invert", "right", "with_replacement",
}  # fmt: skip

ACTIVATIONS = {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid"}

CHOICES = {
    "approximate": {"none", "tanh"},
    "direction": {"forward", "reverse", "bidirectional"},
    "BitShift direction": {"LEFT", "RIGHT"},
    "padding_mode": {"zeros", "border"},
    "reduction": {"none", "mean", "sum"},
    "ScatterElements reduction": {"none", "add", "mul", "max", "min"},
    "ScatterND reduction": {"none", "add", "mul", "max", "min"},
    "Pad mode": {"constant", "edge", "reflect", "wrap"},
    "DepthToSpace mode": {"DCR", "CRD"},
    "Resize mode": {"nearest", "linear", "cubic"},
    "GridSample mode": {"nearest", "bilinear", "bicubic"},
    "TensorScatter mode": {"linear", "circular"},
    "coordinate_transformation_mode": {"half_pixel", "align_corners", "asymmetric"},
    "RoiAlign coordinate_transformation_mode": {"half_pixel", "output_half_pixel"},
    "RoiAlign mode": {"avg", "max"},
    "nearest_mode": {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"},
    "meshgrid indexing": {"ij", "xy"},
    "embedding_bag mode": {"sum", "mean", "max"},
    "index_reduce reduce": {"prod", "amax", "amin"},
    "scatter_reduce reduce": {"sum", "prod", "amax", "amin", "mean"},
    "quantile interpolation": {"linear", "lower", "higher", "nearest", "midpoint"},
    "Cast to": set(dtypes.ALL),
    "FusedGemm activation": ACTIVATIONS,
    "FusedConv activation": ACTIVATIONS,
    "GatedRMSNorm activation": {"silu", "sigmoid"},
    "metric": {"euclidean", "sqeuclidean"},
}
"""The values of an attribute that has few, for all operators or for the one that is named."""


RARE = "AffineGrid"
"""An operator whose first operand has one of two shapes but for the batch, which random types seldom have."""


def samples(op: Op) -> Iterator[tuple[TensorType, Sample]]:
    """Random ways to apply an operator to first operands of all types and ranks."""
    rng = random.Random(op.qualified)
    for number in range(DRAWS):
        rank = number % (MAX_RANK + 1)
        first = TensorType(rng.choice(op.types[op.variable(0)]), tuple(size(rng) for _ in range(rank)))
        if sample := op.sample(rng, first):
            yield first, sample


def operands(graph: Graph) -> list[str]:
    return list(chain(*(node.inputs for node in graph.nodes)))


def test_operands_are_picked_at_the_picking_rate() -> None:
    """At a rate of 0, every operand is a placeholder, and no operator reads another. At 1, few are.

    Constants don't count: many operands must be constants, because their operators take only some values.
    """
    shares = []
    for rate in (0.0, PICKING_RATE, 1.0):
        made = [generate(40, seed, strategy="isra", picking_rate=rate) for seed in range(20)]
        read = [(name, graph) for graph in made for name in operands(graph) if name not in graph.constants]
        shares.append(sum(name in graph.inputs for name, graph in read) / len(read))
    assert shares[0] == 1
    assert shares[2] < shares[1] < 0.5


def test_an_operand_may_be_any_that_the_shape_rule_takes() -> None:
    """Such an operand need not have the type that was drawn: concatenated parts have several lengths."""
    parts = set()
    for seed in range(100):
        growth = isra.Isra(random.Random(seed), None)
        long = growth.input(TensorType("float32", (5, 3)))
        (short,) = growth.apply(TABLE["", "Neg"], [growth.input(TensorType("float32", (2, 3)))], {})
        growth.extend(TABLE["", "Concat"])
        parts.update(pairwise(growth.build().nodes[-1].inputs))
    assert {(long, short), (short, long)} <= parts


def test_only_the_first_placeholder_is_picked() -> None:
    for seed in range(20):
        graph = generate(30, seed, strategy="isra")
        first = graph.nodes[0].inputs[0]
        assert all(operands(graph).count(name) == 1 for name in graph.inputs if name != first)


def test_isra_draws_the_number_of_operands_of_a_variadic_operator() -> None:
    graphs = [generate(10, seed, strategy="isra", operators=[TABLE["", "Sum"]]) for seed in range(10)]
    assert {len(node.inputs) for graph in graphs for node in graph.nodes} == {1, 2, 3, 4, 5}


def test_no_operator_is_tried_in_vain_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    draw = Growth.draw

    def counted(self: Growth, op: Op, first: TensorType) -> object:
        drawn.append(draw(self, op, first))
        return drawn[-1]

    monkeypatch.setattr(Growth, "draw", counted)
    used = sum(len(generate(20, seed, strategy="isra")) for seed in range(20))
    assert sum(application is not None for application in drawn) == used


T = TensorType("float32", (2, 3))


def test_the_novelty_of_an_operator_falls_with_its_repetitions_and_recovers() -> None:
    memory = Turn(0, 0)
    novelties = [memory.novelty(ADD)]
    for _ in range(10):
        memory.add(ADD, [T, T], {})
        novelties.append(memory.novelty(ADD))
    assert novelties[:2] == [1.0, 1.0]
    assert novelties[1:] == sorted(novelties[1:], reverse=True)
    assert novelties[-1] < 0.5
    memory.add(ADD, [TensorType("float32", (5,))] * 2, {})
    assert memory.novelty(ADD) > novelties[-1]


def equal_spaces(name: str) -> CallSpace:
    return CallSpace(100, None, frozenset())


def test_operators_are_chosen_by_the_softmax_of_their_scores() -> None:
    """Equation 6: the operator with the highest score is e times as likely as the one with the lowest score."""
    memory = Memory(equal_spaces)
    worn = [op for op in TABLE.values() if op.accepts(0, "float32")][::2]
    for op in worn:
        for _ in range(40):
            memory.contributes(op, [T], {})
    growth = gencog.GenCoG(random.Random(0), None, None, memory)
    x = growth.input(T)
    chosen = Counter(growth._operator(x) in worn for _ in range(2_500))
    assert chosen[False] / chosen[True] == pytest.approx(2.718, rel=0.2)


def test_a_call_contributes_if_its_types_are_new_and_the_call_space_has_room() -> None:
    memory = Memory(lambda name: CallSpace(2, None, frozenset()))
    shapes = [(2,), (2,), (3,), (4,)]
    assert [memory.contributes(ADD, [TensorType("float32", s)] * 2, {}) for s in shapes] == [True, False, True, False]
    memory = Memory(equal_spaces)
    assert all(memory.contributes(ADD, [TensorType(dtype, (2,))] * 2, {}) for dtype in ("float32", "int32"))


def test_the_contribution_of_an_operator_is_a_share_of_its_call_space() -> None:
    memory = Memory(lambda name: CallSpace(10 if name == "Add" else 20, None, frozenset()))
    assert memory.contribution(ADD) == 2 * memory.contribution(TABLE["", "Mul"]) == 0.1
    memory.contributes(ADD, [T, T], {})
    assert memory.contribution(ADD) == 0.1
    memory.contributes(ADD, [T, T], {})
    assert memory.contribution(ADD) < 0.1


def test_the_type_of_a_parameter_is_any_that_the_operator_takes() -> None:
    """The entry of Add draws only types that leave the shape of the first operand as it is."""
    growth = gencog.GenCoG(random.Random(0), None, None, None)
    first = TensorType("float32", (3, 1))
    application = growth.draw(ADD, first)
    assert application
    solved = [growth._solved(application, application.types, 1) for _ in range(200)]
    results = [growth.results(ADD, [first, t], {}) for t in solved]
    assert all(results)
    assert {t.rank for t in solved} == set(range(6))
    assert len({result.shape[-1] for (result,) in results}) > 5


def test_a_parameter_belongs_to_one_operator() -> None:
    for seed in range(20):
        graph = generate(20, seed, strategy="gencog")
        firsts = {node.inputs[0] for node in graph.nodes}
        further = set(operands(graph)) - firsts - {name for node in graph.nodes for name in node.outputs}
        assert all(operands(graph).count(name) == 1 for name in further)


Pair = tuple[str, str, str]


def pairs(graph: Graph) -> list[set[Pair]]:
    """The pairs that each operator of a graph covers, with an element type, shapes, and the operators before it."""
    producers = {name: node.qualified for node in graph.nodes for name in node.outputs}
    found: list[set[Pair]] = []
    for node in graph.nodes:
        name = node.qualified
        found.append({("type", name, graph.types[node.inputs[0]].dtype)})
        found[-1] |= {("shape", name, str(graph.types[output].shape)) for output in node.outputs}
        found[-1] |= {("edge", producers[x], name) for x in node.inputs if x in producers}
    return found


def test_every_operator_covers_something_that_the_suite_has_not_had() -> None:
    covered: set[Pair] = set()
    memory = Memory()
    for seed in range(40):
        for found in pairs(generate(20, seed, strategy="hirgen", memory=memory)):
            assert not found <= covered
            covered |= found


def test_without_guidance_some_operators_cover_nothing_new() -> None:
    covered: set[Pair] = set()
    news = []
    for seed in range(40):
        for found in pairs(generate(20, seed, strategy="hirgen-unguided", memory=Memory())):
            news.append(not found <= covered)
            covered |= found
    assert 0 < news.count(False) < len(news) / 2


FEW = [TABLE["", name] for name in ("Relu", "Tanh", "Neg", "Add")]


@pytest.fixture
def unsettled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed graphs stay as the strategy makes them, even if they have no finite values."""
    monkeypatch.setattr("polyjuice.campaign.seeds.settle", lambda graph, key: graph)


def test_a_campaign_covers_something_new_with_every_operator(unsettled: None) -> None:
    """Something that neither the same graph nor one of an earlier batch has had."""
    seeds = Seeds(["hirgen"], 10, 0)
    before: set[Pair] = set()
    for batch in range(0, 4 * BATCH, BATCH):
        held: set[Pair] = set()
        for case in range(batch, batch + BATCH):
            own: set[Pair] = set()
            for found in pairs(seeds.graph(case, 0)):
                assert not found <= before | own
                own |= found
            held |= own
        before |= held


@pytest.mark.parametrize("strategy", ["isra", "hirgen"])
def test_drawn_indices_stay_in_range_whatever_the_other_operands_are(strategy: str) -> None:
    """TensorScatter's last operand holds positions in the first, where the second must fit."""
    operators = [TABLE["", name] for name in ("TensorScatter", "Concat", "Relu")]
    for seed in range(20):
        graph = generate(10, seed, strategy=strategy, operators=operators)
        evaluate(graph, make_inputs(graph, "normal", seed))


def test_a_draft_leaves_the_memory_as_it_is_until_that_absorbs_it() -> None:
    memory = Memory()
    memory.contributes(RELU, [T], {})
    draft = Draft(memory)
    draft.contributes(ADD, [T, T], {})
    draft.contributes(ADD, [T, T], {})
    draft.cover({("type", "Add", "float32")})
    assert not draft.contributes(RELU, [T], {})
    assert memory.count("Add") == 0 < draft.count("Add")
    assert memory.contribution(ADD) > draft.contribution(ADD)
    assert not memory.covers(("type", "Add", "float32"))
    memory.absorb(draft)
    assert memory.count("Add") == 1
    assert memory.contribution(ADD) == draft.contribution(ADD)
    assert not memory.cover({("type", "Add", "float32")})


@pytest.mark.parametrize("strategy", ["hirgen", "gencog"])
def test_the_graphs_of_a_campaign_do_not_depend_on_the_order_in_which_they_are_asked_for(strategy: str) -> None:
    asked = [(index, attempt) for index in (0, 5, 20, 40) for attempt in (0, 1)]
    forward, backward = (Seeds([strategy], 5, 0, operators=FEW) for _ in range(2))
    found = [digest(forward.graph(*case)) for case in asked]
    assert found == [digest(backward.graph(*case)) for case in reversed(asked)][::-1]
    assert found[0] == digest(generate_settled(strategy, "0/0/0")), "nothing comes before the first batch"
    assert found[6] != digest(generate_settled(strategy, "0/40/0"))


def generate_settled(strategy: str, key: str) -> Graph:
    return prune(settle(generate(5, key, strategy=strategy, operators=FEW), key))


MISSING = installable("the strategy nnsmith needs z3: pip install 'polyjuice-fuzzer[smt]'")


@pytest.fixture(scope="module")
def graphs() -> list[Graph]:
    return [generate(10, seed, strategy="nnsmith") for seed in range(40)]


def grown(seed: object = 0) -> NNSmith:
    return NNSmith(random.Random(str(seed)), None)


def system() -> System:
    return System(Solver(load_z3(), 0))


def test_every_graph_runs_and_gives_what_it_declares(graphs: Sequence[Graph]) -> None:
    for seed, graph in enumerate(graphs):
        results = evaluate(check(graph), make_inputs(graph, "exact", str(seed)))
        assert not [text for pair in zip(results, graph.output_types, strict=True) if (text := mistyped(*pair))]


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
        if made:
            break
    assert made
    assert {node.qualified for graph in made for node in graph.nodes} == {op.qualified}


def test_only_what_is_accepted_occurs_whatever_sizes_are_found() -> None:
    def accepts(op: Op, types: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        return all(t.dtype in ("float32", "bool") and t.size % 7 for t in (*types, *results))

    for seed in range(10):
        graph = generate(10, seed, accepts, strategy="nnsmith")
        assert len(graph) == 10
        assert {t.dtype for t in graph.types.values()} <= {"float32", "bool"}
        read = {name for node in graph.nodes for name in (*node.inputs, *node.outputs)}
        assert all(graph.types[name].size % 7 for name in read)


def test_backward_insertion_takes_the_place_of_a_placeholder() -> None:
    graph = grown()
    assert graph.insert_apart(TABLE["", "Sqrt"])
    assert graph.insert_backward(TABLE["", "Exp"])
    assert graph.insert_forward(TABLE["", "Log"])
    exp, sqrt, log = graph.settled().nodes
    assert (exp.op, sqrt.op, log.op) == ("Exp", "Sqrt", "Log")
    assert exp.outputs == sqrt.inputs
    assert log.inputs[0] in (*exp.inputs, *exp.outputs, *sqrt.outputs)


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


def input_sizes(count: int, strategy: str = "nnsmith") -> Counter[int]:
    """How many input sizes are in each bin. A size of 1 is no choice of the solver."""
    graphs = (generate(10, seed, strategy=strategy) for seed in range(count))
    bins = Counter(min(d.bit_length(), binning.BINS) for graph in graphs for t in graph.input_types for d in t.shape)
    del bins[1]
    return bins


def test_binning_spreads_sizes_over_all_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    binned = input_sizes(200)
    monkeypatch.setattr(binning, "assign", lambda *_, **how: None)
    as_found = input_sizes(200)
    assert set(binned) == {2, 3, 4, 5, 6, 7}
    large = [sum(bins[i] for i in (5, 6, 7)) / sum(bins.values()) for bins in (binned, as_found)]
    assert large[0] > 0.2 > 0.15 > large[1]


def test_without_binning_most_sizes_are_the_smallest_possible() -> None:
    bins = input_sizes(60, "nnsmith-unbinned")
    assert bins[2] > 0.5 * sum(bins.values())


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


def computed(x: Any, y: Any, n: int) -> tuple[Any, ...]:
    compared = (x == y, x != y, x < y, x >= y, x <= 3, bool(x), x in (0, y), x < 0.5)
    rounded = (x // n, x % n, (x + 2 * y) // n, (4 * x + 3) // 2, -(-x // n), n // (y * y + 1), x / 4, abs(x))
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
        sum((x, y)),
        x**2,
        x + 0.5,
    )


def test_symbolic_integers_compute_as_integers_do() -> None:
    rng, s = random.Random(0), system()
    for _ in range(300):
        a, b, n = rng.randint(-50, 50), rng.randint(-50, 50), rng.choice((-3, -1, 2, 5))
        assert concrete(computed(s.unknown(-99, 99, a), s.unknown(-99, 99, b), n)) == computed(a, b, n)


@pytest.mark.parametrize("command", [["generate", "--strategy"], ["fuzz", "--compiler", "numpy", "--seeds"]])
def test_a_missing_solver_is_a_problem_of_the_environment(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    message = refusal(*command[1:], "nnsmith", "-n", 1, "--out", tmp_path / "out", command=command[0])
    assert message == MISSING
    assert not (tmp_path / "out").exists()


ADD, GEMM, RELU = TABLE["", "Add"], TABLE["", "Gemm"], TABLE["", "Relu"]
SMALL = InputTypes(("float32", "int8"), (2, 3, 4), (1, 2, 3, 4))


def suite(count: int, names: str, inputs: InputTypes = SMALL, memory: Memory | None = None) -> list[Graph]:
    memory = memory or Memory()
    operators = [TABLE["", name] for name in names.split()]
    return [generate(16, seed, memory=memory, operators=operators, inputs=inputs) for seed in range(count)]


def vertices(graphs: list[Graph]) -> Counter[object]:
    """The number of occurrences of each vertex, as vertex diversity counts them."""
    return Counter(
        (node.op, call_space(node.op).vertex([graph.types[x] for x in node.inputs], attribute_texts(node.attrs)))
        for graph in graphs
        for node in graph.nodes
    )


def test_vertices_hardly_repeat_though_what_an_operator_is_put_on_decides_them() -> None:
    """Each of these operators gets another operand, mostly an existing value, so the drawn vertex changes."""
    found = vertices(suite(30, "Add Sub Mul Max Min Concat"))
    assert len(found) > 0.97 * found.total()


def test_the_memory_knows_the_vertices_that_are_measured() -> None:
    memory, measured = Memory(), Suite()
    for seed in range(40):
        measured.add(generate(10, seed, memory=memory))
    known = (len(memory.vertices.known(op)) / call_space(op.qualified).size for op in TABLE.values())
    assert sum(min(1, share) for share in known) / len(TABLE) == pytest.approx(measured.values()["vertex_diversity"])


def test_operators_without_room_are_left_to_those_with_room() -> None:
    memory = Memory(lambda name: CallSpace(64 if name == "Relu" else 4096, None, frozenset()))
    early, late = (Counter(n.op for g in suite(12, "Relu Neg Add", memory=memory) for n in g.nodes) for _ in range(2))
    assert early["Relu"] > 1.5 * early["Neg"]
    assert late["Relu"] < early["Relu"]


def test_an_operator_that_never_takes_a_rank_is_not_tried_on_it_again() -> None:
    known = Vertices()
    matrix, cube = TensorType("float32", (2, 2)), TensorType("float32", (2, 2, 2))
    for _ in range(20):
        known.fail(GEMM, cube)
        known.fail(GEMM, matrix)
    assert not known.suits(GEMM, cube)
    known.add(GEMM, [matrix, matrix], {})
    assert known.suits(GEMM, matrix)
    assert not known.suits(GEMM, cube)
    assert known.suits(RELU, cube)


@pytest.mark.parametrize("strategy", [s for s in STRATEGIES if not s.startswith("nnsmith")])
def test_inputs_are_of_the_types_that_are_named(strategy: str) -> None:
    graphs = [generate(10, seed, strategy=strategy, operators=[RELU, ADD], inputs=SMALL) for seed in range(20)]
    types = [t for graph in graphs for t in graph.input_types]
    sizes = Counter(size for t in types for size in t.shape)
    assert {t.dtype for t in types} == {"float32", "int8"}
    assert {t.rank for t in types} >= {2, 3, 4}
    assert sum(sizes[size] for size in SMALL.sizes) > 0.98 * sizes.total()  # blocks of operators have others


@pytest.mark.parametrize("op", OPERATORS)
def test_no_instantiation_is_rejected_and_every_value_of_an_attribute_can_come_about(op: Op) -> None:
    drawn: dict[str, set[Any]] = defaultdict(set)
    for first, sample in samples(op):
        attrs = complete_attrs(op, sample.attrs)
        assert infer(op, [first, *(o.type for o in sample.operands)], attrs)
        for attr in op.attrs:
            if attr.kind in ("int", "string", "dtype"):
                drawn[attr.name].add((first.rank, attrs[attr.name]) if attr.name in AXES else attrs[attr.name])
    for attr in op.attrs:
        values = drawn[attr.name]
        if attr.name in AXES and attr.kind == "int":
            for rank in {rank for rank, _ in values if 2 <= rank <= 4}:
                last = rank - (op.name == "DFT")  # its last axis has the parts of complex numbers
                assert {axis for r, axis in values if r == rank} >= set(range(1, last)), rank
        elif attr.name in FLAGS:
            assert set(map(int, values)) == {0, 1} or op.name == RARE, attr.name
        elif attr.kind == "string" and attr.name != "equation" and not op.promotes:
            assert values == CHOICES.get(f"{op.name} {attr.name}", CHOICES.get(attr.name)), attr.name


@pytest.mark.parametrize("strategy", ["default", "gencog", "hirgen"])
def test_equal_memories_give_equal_graphs(strategy: str) -> None:
    suites = []
    for _ in range(2):
        memory = Memory()
        suites.append([digest(generate(10, seed, strategy=strategy, memory=memory)) for seed in range(15)])
    assert suites[0] == suites[1]


PROGRAM = """
from polyjuice.egraph import Rewriter, load
from polyjuice.generate import generate
from polyjuice.ir import digest
from polyjuice.ir import digest
def digests():
    graphs = [generate(10, seed, strategy=name) for name in ("default", "nnsmith") for seed in range(12)]
    rewriter = Rewriter(load(only=["add-*", "mul-*", "neg-*", "transpose-*", "*-commutative"]))
    variants = [v.graph for i in range(6) for v in rewriter.rewrite(graphs[i], i, "steps", 4).variants]
    return list(map(digest, [*graphs, *variants]))
"""


def test_the_hash_seed_of_the_process_does_not_matter() -> None:
    names: dict[str, Any] = {}
    exec(PROGRAM, names)
    environment = {**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") == "2" else "2"}
    command = [sys.executable, "-c", f"{PROGRAM}\nprint(*digests())"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == names["digests"]()
