"""Small programs: the operator, type, size, neighbour and setting of each case, and the coverage that they reach."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyjuice import cache, compilers, support
from polyjuice.campaign import coverage
from polyjuice.campaign.config import Config
from polyjuice.campaign.kinds import BATCH, GENERATING, MIXED, Kind, Kinds, coverage_target
from polyjuice.campaign.preparation import Preparation, Skip
from polyjuice.campaign.runner import CaseResult
from polyjuice.campaign.schedule import Clock
from polyjuice.campaign.seeds import Seeds
from polyjuice.campaign.store import Store
from polyjuice.compilers import CompilerInfo
from polyjuice.egraph import load
from polyjuice.execution import Outcome
from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.lowering import CoverageTarget, lower
from polyjuice.frameworks.onnx import opsets as onnx_opsets
from polyjuice.frameworks.torch.source import LAYOUTS, SETTINGS
from polyjuice.generate import Turn, blocks, generate
from polyjuice.generate.due import Due, due
from polyjuice.generate.growth import Growth
from polyjuice.generate.small import SIZE_CLASSES, size_classes
from polyjuice.inputs import DISTRIBUTIONS, usual_profiles
from polyjuice.ir import Graph, TensorType, digest, dtypes
from polyjuice.ops import TABLE, Op
from polyjuice.ops.sampling import FewSizes
from polyjuice.oracles import Case, Program
from polyjuice.support import Support
from tests.support.commands import PLAIN, fuzz
from tests.support.graphs import apply, graph

OPERATORS = [
    TABLE["", name] for name in ("Add", "ReduceMax", "Softmax", "Transpose", "MatMul", "ArgMin", "Cast", "Relu")
]
PAIRS = [(op, dtype) for op in OPERATORS for dtype in op.types[op.variable(0)]]
ALIKE = (
    ("float32", "float64"),
    ("float16", "bfloat16"),
    ("int32", "int16"),
    dtypes.WIDER_UNSIGNED,
    dtypes.NARROW_FLOATS,
    dtypes.NARROW_INTS,
)
CYCLE = len(PAIRS) - sum(max(len({*alike} & {*op.types[op.variable(0)]}) - 1, 0) for op in OPERATORS for alike in ALIKE)


def small(index: int, operators: list[Op] = OPERATORS, nodes: int = 20) -> Graph:
    return generate(nodes, f"0/{index}", strategy="small", memory=Turn(0, index), operators=operators)


def test_every_operator_comes_on_every_kind_of_element_type_once_a_cycle() -> None:
    """Similar types take turns: all have come after six cycles, and the others six times by then."""
    for number in range(0, 12, 6):
        cycles = [due(OPERATORS, 0, range(n * CYCLE, (n + 1) * CYCLE)) for n in range(number, number + 6)]
        for cycle in cycles:
            assert len({(one.op.name, one.dtype) for one in cycle}) == CYCLE
        all_six = Counter((one.op.name, one.dtype) for cycle in cycles for one in cycle)
        assert all_six.keys() == {(op.name, dtype) for op, dtype in PAIRS}
        assert all_six["Add", "uint16"] == all_six["Add", "uint32"] == all_six["Add", "uint64"] == 2
        assert all_six["Add", "float32"] == all_six["Add", "float64"] == 3
        assert all_six["Add", "int64"] == all_six["Add", "uint8"] == 6


def test_every_operator_and_type_meets_each_level_of_each_factor_in_as_many_rounds() -> None:
    sizes, neighbours = list(SIZE_CLASSES), OPERATORS
    for levels, factor in ((sizes, "size"), (neighbours, "neighbour")):
        met = Counter(
            (one.op.name, one.dtype, str(one.level(factor, levels)))
            for one in due(OPERATORS, 0, range(6 * CYCLE * len(levels)))
        )
        assert len(met) == len(PAIRS) * len(levels)
        assert set(met.values()) == {2, 3, 6}


def test_programs_are_small_and_begin_with_what_is_due() -> None:
    sizes: Counter[int] = Counter()
    for index in range(CYCLE):
        graph = small(index)
        (one,) = due(OPERATORS, 0, [index])
        first = next(node for node in graph.nodes if node.op != "Cast" or one.op.name == "Cast")  # operands may be cast
        assert first.qualified == one.op.qualified
        assert graph.types[first.inputs[0]].dtype == one.dtype
        sizes[len(graph.nodes)] += 1
    assert {1, 2, 3, 4} <= set(sizes) <= {1, 2, 3, 4, 5, 6}
    assert max(len(small(index, nodes=2).nodes) for index in range(CYCLE)) == 2


@pytest.mark.parametrize("size", SIZE_CLASSES)
def test_an_input_has_the_size_that_is_due(size: str) -> None:
    longest = set()
    for index in range(4 * CYCLE):
        (one,) = due(OPERATORS, 0, [index])
        if one.level("size", list(SIZE_CLASSES)) != size:
            continue
        made = small(index)
        x = made.types[made.nodes[0].inputs[0]]
        if x.rank:
            assert max(x.shape) in SIZE_CLASSES[size] or max(x.shape) <= 4
            longest.add(max(x.shape))
    assert longest & set(SIZE_CLASSES[size])


def test_a_program_depends_on_the_campaign_and_its_index_alone() -> None:
    assert [digest(small(index)) for index in range(20)] == [digest(small(index)) for index in range(20)]
    assert len({digest(small(index)) for index in range(20)}) == 20


def test_what_the_compiler_does_not_take_leaves_the_turn_to_another_operator() -> None:
    def takes(op: Op, *_: object) -> bool:
        return op.name == "Relu"

    for index in range(CYCLE):
        graph = generate(4, f"0/{index}", takes, strategy="small", memory=Turn(0, index), operators=OPERATORS)
        assert {node.op for node in graph.nodes} == {"Relu"}


def test_some_operators_are_put_on_constants_alone(many: Sequence[Graph]) -> None:
    assert any(set(node.inputs) <= set(made.constants) for made in many for node in made.nodes)


def test_operators_on_constants_alone_often_take_numbers_in_order(many: Sequence[Graph]) -> None:
    folded = [graph.constants[name] for graph in many for name in graph.nodes[0].inputs if not graph.inputs and name]
    widths = [np.diff(array.reshape(-1).astype(np.float64)) for array in folded if array.size > 2]
    counting = [array for array in widths if array[0] and (array == array[0]).all()]
    assert len(counting) > len(widths) / 5
    assert any(array[0] < 0 for array in counting)


def test_some_operands_are_cast_from_inputs_of_other_types(many: Sequence[Graph]) -> None:
    casts = [node for graph in many for node in graph.nodes if node.op == "Cast" and node.inputs[0] in graph.inputs]
    assert len(casts) > len(many) / 20


def test_some_operators_are_applied_to_the_same_value_twice(many: Sequence[Graph]) -> None:
    applied = [Counter((node.op, node.inputs[0]) for node in graph.nodes) for graph in many]
    assert sum(max(counts.values(), default=0) > 1 for counts in applied) > len(many) / 50


def test_some_operators_begin_with_a_constant_of_rank_0() -> None:
    graphs = [g for number in range(200) if (g := small(number, [TABLE["", "Sub"]], 1)).nodes]
    begin = [g for g in graphs if g.nodes[0].inputs[0] in g.constants and g.nodes[0].inputs[1] in g.inputs]
    ranks = [tuple(g.types[name].rank for name in g.nodes[0].inputs) for g in begin]
    assert sum(first == 0 < second for first, second in ranks) > len(graphs) / 50


def test_some_constants_hold_integers_at_the_ends_of_types_or_in_steps_beyond_32_bits(many: Sequence[Graph]) -> None:
    """Steps go up to about 2^32, and the last number does not fit into 32 bits."""
    arrays = [array.ravel() for made in many for array in made.constants.values() if array.dtype != bool]
    large = {dtypes.dtype_of(x) for x in arrays if (np.abs(x.astype(np.float64)) >= 127).any()}
    assert {"int64", "float32", "int8"} <= large
    far = [
        x
        for x in arrays
        if x.dtype == np.int64 and x.size > 2 and len(set(np.diff(x))) == 1
        if 2**31 <= abs(int(x[-1])) != abs(int(x[1]))
    ]
    assert far
    assert all(abs(int(x[1])) <= 2**32 + 1 and x[0] == 0 for x in far)


def test_blocks_are_missed_nearly_now_and_then() -> None:
    """A near miss changes one attribute or scale to a value that no block has, and keeps the rest."""

    def written(near_miss: float) -> set[str]:
        found = set()
        for seed in range(800):
            growth = Growth(FewSizes(seed), None)
            blocks.build(growth, 6, near_miss)
            nodes = growth.build().nodes if growth.computed else ()
            found |= {f"{node.op} {node.attrs}" for node in nodes if {"perm", "axis"} & {*node.attrs}}
        return found

    assert len(written(1.0) - written(0.0)) > 5


@pytest.mark.parametrize(
    ("shape", "classes"),
    [
        ((), []),
        ((1, 1), ["one"]),
        ((3, 5), ["short", "odd"]),
        ((2, 65), ["vector"]),
        ((65, 65), []),
        ((1, 300), ["long"]),
        ((0, 3), []),
    ],
)
def test_a_shape_is_of_the_classes_that_can_have_it(shape: tuple[int, ...], classes: list[str]) -> None:
    assert size_classes(shape) == classes


DUE_RELU = Due(op=TABLE["", "Relu"], dtype="float32", round=0, seed=0)


def over_rounds(count: int, format: str, due: Due = DUE_RELU) -> list[CoverageTarget]:
    return [coverage_target(replace(due, round=number), format) for number in range(count)]


def test_an_operator_meets_all_layouts_settings_and_distributions() -> None:
    found = over_rounds(60, "torch")
    layouts = Counter(one.layout for one in found)
    assert layouts == {"contiguous": 24, **dict.fromkeys(LAYOUTS[1:], 6)}
    settings = Counter(one.setting for one in found)
    assert settings == {"plain": 30, **dict.fromkeys(list(SETTINGS)[1:], 6)}
    assert Counter(one.distribution for one in found) == {**dict.fromkeys(DISTRIBUTIONS, 5), "mixed": 15}


def test_an_operator_of_onnx_meets_each_of_its_versions() -> None:
    versions = onnx_opsets.versions("Relu", "float32")
    assert {since: opsets[0] for since, opsets in versions.items()} == {6: 11, 13: 13, 14: 14}
    found = Counter(one.opset for one in over_rounds(120, "onnx"))
    assert found.pop(0) == 60
    assert {since: sum(found[opset] for opset in opsets) for since, opsets in versions.items()} == {
        6: 20,
        13: 20,
        14: 20,
    }
    assert {11, 12} <= set(found)
    assert {one.layout + one.setting for one in over_rounds(9, "onnx")} == {""}


def test_a_model_is_at_the_opset_that_is_due() -> None:
    made = apply("Relu", "float32[2,3]")
    for one in over_rounds(20, "onnx"):
        if opset := one.opset:
            assert ("model", f"opset {opset}") in lower(made, "onnx", 0, opset=0, wanted=one).forms


def test_the_due_operator_is_the_one_that_the_program_begins_with() -> None:
    operators = [TABLE["", name] for name in ("Add", "Relu", "Softmax")]
    seeds = Seeds(["small"], 4, 0, operators=operators)
    for index in range(30):
        due = seeds.due(index)
        assert due
        first = seeds.graph(index, 0).nodes[0]
        assert first.qualified == due.op.qualified


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("period", [1, 16])
@pytest.mark.parametrize("strategy", GENERATING)
def test_the_cases_of_a_strategy_are_numbered_without_a_gap(strategy: str, period: int, slow: bool) -> None:
    """Every due combination has its turn, whichever cases belong to another strategy."""
    kinds = Kinds(strategy=strategy, period=period, slow=slow)
    numbers: Counter[str] = Counter()
    for index in range(1000):
        kind = kinds.of(index)
        assert kinds.number(index) == numbers[kind.strategy]
        numbers[kind.strategy] += 1


def test_as_many_cases_in_a_row_as_share_an_e_graph_are_of_one_kind() -> None:
    kinds = Kinds(strategy=MIXED, period=16)
    assert all(len({kinds.of(16 * batch + i) for i in range(16)}) == 1 for batch in range(20))
    assert len({kinds.of(16 * batch) for batch in range(20)}) > 2


def test_half_of_a_mixed_campaign_aims_at_parts_of_the_compiler_and_small_programs_come_next() -> None:
    found = Counter(Kinds(strategy=MIXED).of(index) for index in range(1600))
    small = {alone: found[Kind("small", alone)] for alone in (True, False)}
    large = {alone: found[Kind("default", alone)] for alone in (True, False)}
    assert 0.4 < found[Kind("targets", alone=True)] / 1600 < 0.6
    assert small[True] + small[False] > large[True] + large[False]
    assert small[True] >= small[False] > 0
    assert large[True] >= large[False] > 0


def test_larger_graphs_are_rarer_where_a_compilation_takes_seconds() -> None:
    found, slow = (
        Counter(Kinds(strategy=MIXED, slow=slow).of(index) for index in range(640)) for slow in (False, True)
    )
    assert found[Kind("default")] > 3 * slow[Kind("default")] > 0
    assert found[Kind("default", alone=True)] > slow[Kind("default", alone=True)] == 0


def test_variants_are_rarer_where_programs_are_compiled_in_packs() -> None:
    alone, packed = (
        Counter(Kinds(strategy=MIXED, slow=True, packs=on).of(i) for i in range(1024)) for on in (False, True)
    )
    assert alone[Kind("small")] + alone[Kind("default")] == 1024 / 4
    assert packed[Kind("small")] + packed[Kind("default")] == 1024 / 8
    assert alone[Kind("targets", alone=True)] == packed[Kind("targets", alone=True)] == 1024 / 2


def test_mixed_seeds_are_those_of_the_strategies_that_take_turns() -> None:
    seeds = Seeds([MIXED], 12, 0)
    sizes: dict[str, list[int]] = {"small": [], "default": []}
    for index in range(16):
        sizes[seeds.kind(index).strategy].append(len(seeds.graph(index, 0).nodes))
    assert max(sizes["small"]) <= 6
    assert min(sizes["default"]) > 6


RULES = load()


class Everything(Support):
    def __init__(self, compiler: CompilerInfo) -> None:
        self.compiler = compiler
        self.refusal = ""

    def takes(self, op: Op, operands: Sequence[TensorType], results: Sequence[TensorType]) -> bool:
        return True

    def lacked(self, forms: Sequence[Form]) -> list[str]:
        return []


def cases(folder: Path, name: str, indices: Iterable[int], **options: object) -> list[Case]:
    compiler = compilers.find(name)
    config = Config(compiler=name, seeds=(MIXED,), nodes=6, profiles=usual_profiles(compiler), **options)  # type: ignore[arg-type]
    preparation = Preparation(config, folder, RULES, compiler, Everything(compiler), Clock())
    found = []
    for index in indices:
        try:
            found.append(preparation.case(index, 0))
        except Skip:
            continue
    return found


def test_most_small_programs_are_alone_and_have_many_sets_where_compilation_is_slow(tmp_path: Path) -> None:
    found = cases(tmp_path, "tvm", range(0, 4 * BATCH, 4))
    alone = [case for case in found if len(case.programs) == 1]
    assert 9 <= len(alone) <= 12
    assert sum(len(case.sets) == 12 for case in alone) >= len(alone) / 2
    assert all(len(case.sets) <= 4 for case in found if len(case.programs) > 1)


def test_cases_that_share_packs_of_inductor_have_one_setting(tmp_path: Path) -> None:
    size = compilers.find("inductor").pack
    packs: dict[int, set[str]] = {}
    indices = [number * size + place for number in (0, 4) for place in range(0, size, 3)]
    for case in cases(tmp_path, "inductor", indices):
        if len(case.programs) == 1:
            (program,) = case.programs
            setup = {k: v for k, v in program.artifact.setup.items() if k not in ("layouts", "updates", "numbers")}
            if not program.graph.updates:  # a program that writes cannot have all settings
                packs.setdefault(case.index // size, set()).add(str(setup))
            assert case.sets[0].profile == "edge"
    assert all(len(settings) == 1 for settings in packs.values())
    assert len(set.union(*packs.values())) > 1


@pytest.mark.parametrize(("name", "writing"), [("inductor", True), ("tvm-torch", False)])
def test_programs_write_into_inputs_only_where_the_compiler_takes_that(
    tmp_path: Path, name: str, writing: bool
) -> None:
    found = cases(tmp_path, name, range(1, 48, 4))
    assert any(program.graph.updates for case in found for program in case.programs) == writing


def test_the_size_of_packs_changes_no_program(tmp_path: Path) -> None:
    found, others = (
        [
            [(p.artifact.source, p.artifact.setup) for p in case.programs]
            for case in cases(tmp_path, "inductor", range(2), pack=pack)
        ]
        for pack in (0, 1)
    )
    assert found == others


def test_edge_values_are_for_single_operators_where_another_framework_judges(tmp_path: Path) -> None:
    for case in cases(tmp_path, "onnxruntime", range(16)):
        (program, *others) = case.programs
        one = len(program.graph.nodes) == 1 and not others
        assert ("edge" in [inputs.profile for inputs in case.sets]) <= one


@pytest.mark.parametrize("options", [{"only_rules": ("add-commutes",)}, {"oracles": ("metamorphic",)}], ids=str)
def test_who_wants_variants_gets_no_case_without(tmp_path: Path, options: dict[str, tuple[str, ...]]) -> None:
    for case in cases(tmp_path, "tvm", range(2), **options):
        assert len(case.programs) >= 2


RELU, ADD = TABLE["", "Relu"], TABLE["", "Add"]


def program(format: str, wanted: CoverageTarget) -> Program:
    """A program with the sum of two inputs, the first of which goes through Relu."""
    made = graph("float32[2,17] x; float32[] y", "Add(Relu(x), y)")
    artifact = lower(made, format, 0, opset=0, wanted=wanted)
    return Program(label="original", graph=made, artifact=artifact, analyses=(), outcome=Outcome(status="ok"))


def of(found: set[coverage.Tuple], op: str) -> set[tuple[str, str]]:
    assert {dtype for name, dtype, *_ in found if name == op} == {"float32"}
    return {(factor, level) for name, _, factor, level in found if name == op}


def test_a_program_covers_what_it_has() -> None:
    found = coverage.covered([program("torch", CoverageTarget("stepped", "grad"))], "sparse")
    relu = {("type", ""), ("size", "vector"), ("neighbour", "Add"), ("setting", "grad")}
    assert of(found, "Relu") == relu | {("layout", "stepped"), ("distribution", "sparse")}
    scalar = {("layout", "contiguous")}  # the second operand; it has no distribution
    assert of(found, "Add") == {("type", ""), ("size", "vector"), ("setting", "grad")} | scalar


def test_a_model_covers_the_version_of_the_operator_at_its_opset() -> None:
    for opset, relu, add in ((11, "6", "7"), (13, "13", "13"), (20, "14", "14")):
        found = coverage.covered([program("onnx", CoverageTarget(opset=opset))], "mixed")
        assert {("setting", relu)} == {one for one in of(found, "Relu") if one[0] == "setting"}
        assert {("setting", add)} == {one for one in of(found, "Add") if one[0] == "setting"}
        assert "layout" not in {factor for _, _, factor, _ in found}


def test_what_is_covered_is_held_against_all_that_could_be() -> None:
    found = coverage.covered([program("torch", CoverageTarget("stepped", "grad"))], "sparse")
    types = len(RELU.types[RELU.variable(0)]) + len(ADD.types[ADD.variable(0)])
    report = coverage.report(found, [RELU, ADD], "torch")
    assert {factor: (one["covered"], one["of"]) for factor, one in report.items()} == {
        "type": (2, types),
        "size": (2, types * 5),
        "neighbour": (1, types * 2),
        "layout": (2, types * 7),
        "setting": (2, types * 6),
        "distribution": (1, types * 10),
    }
    assert report["type"]["share"] == round(2 / types, 4)
    assert coverage.line(report).startswith(f"2 of {types} pairs of operator and element type; combined with them, ")


def test_operators_that_were_not_asked_for_and_pairs_that_are_refused_do_not_count() -> None:
    found = coverage.covered([program("onnx", CoverageTarget(opset=13))], "mixed")
    types = RELU.types[RELU.variable(0)]
    refused = {("Relu", types[-1]), ("Relu", "float32"), ("Add", "bool")}
    report = coverage.report(found, [RELU], "onnx", refused=refused)
    assert (report["type"]["covered"], report["type"]["of"]) == (1, len(types) - 1)
    assert (report["neighbour"]["covered"], report["neighbour"]["of"]) == (0, len(types) - 1)
    at_13 = coverage.report(found, [RELU], "onnx", 13)
    assert at_13["setting"]["covered"] == 1
    assert at_13["setting"]["of"] < report["setting"]["of"]


def test_a_pair_is_refused_that_was_never_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    compiler = compilers.find("onnxruntime")
    path = support.cache_file(compiler, "1.0")
    path.parent.mkdir()
    answers = {
        "Relu bool rank 1": "no",
        "Add int8 rank 1": "no",
        "Add int8 rank 2": "",
        "Add bool rank 2": "no",
        "form Relu: x": "no",
    }
    path.write_text("".join(json.dumps(answer) + "\n" for answer in answers.items()))
    assert support.refused(compiler, "1.0", 0) == {("Relu", "bool"), ("Add", "bool")}


def test_what_is_covered_adds_up_in_a_campaign_that_is_continued(tmp_path: Path) -> None:
    one, other = ("Relu", "int8", "type", ""), ("Add", "int8", "type", "")
    store = Store.create(tmp_path / "c", Config(compiler="numpy"))
    store.add(CaseResult(index=0, programs=1, covered={one}), 1.0)
    store.close()
    store, _ = Store.open(tmp_path / "c")
    store.add(CaseResult(index=1, programs=1, covered={one, other}), 2.0)
    assert sorted(store.covered()) == sorted([one, other])


def test_a_campaign_of_small_programs_reports_what_it_covered(tmp_path: Path) -> None:
    common = ("--compiler", "numpy", "-n", 8, "--only-operator", "Relu", "--only-operator", "Neg", *PLAIN)
    _, summary = fuzz(tmp_path / "small", *common, "--seeds", "small")
    report = summary["coverage"]
    assert list(report) == ["type", "size", "neighbour", "setting", "distribution"]
    assert 4 <= report["type"]["covered"] <= report["type"]["of"]
    for factor, one in report.items():
        assert 0 < one["covered"] <= one["of"], factor
    _, summary = fuzz(tmp_path / "default", *common, "--seeds", "default")
    assert "coverage" not in summary


@pytest.fixture(scope="module")
def many() -> list[Graph]:
    return [small(index) for index in range(1000)]
