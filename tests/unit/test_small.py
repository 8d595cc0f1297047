"""The strategy of small programs: every due operator occurs, at every size, beside every neighbour."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from polyjuice.generate import Turn, blocks, generate
from polyjuice.generate.due import due
from polyjuice.generate.growth import Growth
from polyjuice.generate.small import SIZE_CLASSES, size_classes
from polyjuice.ir import Graph, digest, dtypes
from polyjuice.ops import TABLE, Op
from polyjuice.ops.sampling import FewSizes

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


def test_factors_and_campaigns_have_orders_of_their_own() -> None:
    def orders(seed: int, factor: str) -> list[int]:
        return [one.level(factor, range(8)) for one in due(OPERATORS, seed, range(CYCLE))]

    assert orders(0, "a") == orders(0, "a")
    assert orders(0, "a") != orders(0, "b")
    assert orders(0, "a") != orders(1, "a")


def test_programs_are_small_and_begin_with_what_is_due() -> None:
    sizes: Counter[int] = Counter()
    for index in range(CYCLE):
        graph = small(index)
        (one,) = due(OPERATORS, 0, [index])
        first = graph.nodes[0]
        assert first.qualified == one.op.qualified
        assert graph.types[first.inputs[0]].dtype == one.dtype
        sizes[len(graph.nodes)] += 1
    assert set(sizes) == {1, 2, 3, 4}
    assert max(len(small(index, nodes=2).nodes) for index in range(CYCLE)) == 2


@pytest.mark.parametrize("size", SIZE_CLASSES)
def test_an_input_has_the_size_that_is_due(size: str) -> None:
    longest = set()
    for index in range(4 * CYCLE):
        (one,) = due(OPERATORS, 0, [index])
        graph = small(index)
        x = graph.types[graph.nodes[0].inputs[0]]
        if one.level("size", list(SIZE_CLASSES)) == size and x.rank:
            assert max(x.shape) in SIZE_CLASSES[size] or max(x.shape) <= 4
            longest.add(max(x.shape))
    assert longest & set(SIZE_CLASSES[size])


def test_a_program_depends_on_the_campaign_and_its_index_alone() -> None:
    assert [digest(small(index)) for index in range(20)] == [digest(small(index)) for index in range(20)]
    assert len({digest(small(index)) for index in range(20)}) == 20


def test_about_half_of_the_results_that_are_read_are_outputs() -> None:
    read, shown = 0, 0
    for index in range(200):
        graph = small(index)
        used = {name for node in graph.nodes for name in node.inputs} & {
            n for node in graph.nodes for n in node.outputs
        }
        read += len(used)
        shown += len(used & set(graph.outputs))
    assert 0.35 < shown / read < 0.65


def test_what_the_compiler_does_not_take_leaves_the_turn_to_another_operator() -> None:
    def takes(op: Op, *_: object) -> bool:
        return op.name == "Relu"

    for index in range(CYCLE):
        graph = generate(4, f"0/{index}", takes, strategy="small", memory=Turn(0, index), operators=OPERATORS)
        assert {node.op for node in graph.nodes} == {"Relu"}


def test_some_operators_are_put_on_constants_alone() -> None:
    graphs = [small(index) for index in range(400)]
    assert any(set(node.inputs) <= set(graph.constants) for graph in graphs for node in graph.nodes)


def test_some_constants_hold_integers_at_the_ends_of_types() -> None:
    graphs = [small(index) for index in range(1200)]
    large = {
        dtypes.dtype_of(array)
        for graph in graphs
        for array in graph.constants.values()
        if array.dtype != bool and (np.abs(array.astype(np.float64)) >= 127).any()
    }
    assert {"int64", "float32", "int8"} <= large


def test_some_int64_constants_are_numbers_in_order_that_leave_32_bits() -> None:
    """Steps go up to about 2^32, and the last number does not fit into 32 bits."""
    graphs = [small(index) for index in range(1000)]
    constants = [array.ravel() for graph in graphs for array in graph.constants.values() if array.dtype == np.int64]
    far = [
        array
        for array in constants
        if array.size > 2 and len(set(np.diff(array))) == 1 and 2**31 <= abs(int(array[-1])) != abs(int(array[1]))
    ]
    assert far
    assert all(abs(int(array[1])) <= 2**32 + 1 and array[0] == 0 for array in far)


def test_blocks_are_missed_nearly_now_and_then() -> None:
    """A near miss changes one attribute or scale to a value that no block has, and keeps the rest."""

    def written(near_miss: float) -> set[str]:
        found = set()
        for seed in range(1700):
            growth = Growth(FewSizes(seed), None)
            blocks.build(growth, 6, near_miss)
            if growth.computed:
                found |= {
                    f"{node.op} {node.attrs}" for node in growth.build().nodes if {"perm", "axis"} & {*node.attrs}
                }
        return found

    plain = written(0.0)
    assert plain == written(0.0)
    assert len(written(1.0) - plain) > 5


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
