"""Factors of small programs besides the graph: all levels occur, and each case has the levels that are due."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from polyjuice.campaign.schedule import coverage_target
from polyjuice.campaign.seeds import Seeds
from polyjuice.frameworks.lowering import CoverageTarget, lower
from polyjuice.frameworks.onnx import opsets as onnx_opsets
from polyjuice.frameworks.torch.source import LAYOUTS, SETTINGS
from polyjuice.generate.due import Due
from polyjuice.inputs import DISTRIBUTIONS
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE, GraphBuilder

RELU = Due(op=TABLE["", "Relu"], dtype="float32", round=0, seed=0)


def over_rounds(count: int, format: str, due: Due = RELU) -> list[CoverageTarget]:
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


def test_a_version_that_lacks_the_element_type_does_not_come() -> None:
    assert set(onnx_opsets.versions("Relu", "int32")) == {14}
    assert not onnx_opsets.versions("Unknown", "int32")


def test_a_model_is_at_the_opset_that_is_due() -> None:
    build = GraphBuilder()
    graph = build.build([build.op("Relu", build.input(TensorType("float32", (2, 3))))])
    for one in over_rounds(20, "onnx"):
        if opset := one.opset:
            for seed in range(3):
                assert ("model", f"opset {opset}") in lower(graph, "onnx", seed, opset=0, wanted=one).forms


@pytest.mark.parametrize("strategy", ["default", "isra"])
def test_nothing_is_due_in_other_strategies(strategy: str) -> None:
    seeds = Seeds([strategy], 4, 0)
    assert seeds.due(3) is None
    assert coverage_target(seeds.due(3), "torch") == CoverageTarget()


def test_the_due_operator_is_the_one_that_the_program_begins_with() -> None:
    operators = [TABLE["", name] for name in ("Add", "Relu", "Softmax")]
    seeds = Seeds(["small"], 4, 0, operators=operators)
    for index in range(30):
        due = seeds.due(index)
        assert due
        first = seeds.graph(index, 0).nodes[0]
        assert first.qualified == due.op.qualified
