"""Blocks of operators are valid wherever they end, and complete on operands that fit."""

from __future__ import annotations

import pytest

from polyjuice.generate import blocks
from polyjuice.generate.block_site import BLOCKS, Block, BlockSite, Unfit
from polyjuice.generate.growth import Growth
from polyjuice.ops import check
from polyjuice.ops.sampling import FewSizes

COUNT = 60
NAMED = [pytest.param(block, id=block.build.__name__) for block in BLOCKS]


def built(block: Block, seed: int, nodes: int) -> tuple[Growth, bool]:
    """A graph of this block, and whether the block is complete."""
    growth = Growth(FewSizes(f"block {seed}"), None)
    x = growth.input(growth.random_type(growth.rng.choice(block.dtypes), growth.rng.choice(block.ranks)))
    try:
        block.build(BlockSite(growth, nodes), x)
    except Unfit:
        return growth, False
    return growth, True


@pytest.mark.parametrize("block", NAMED)
def test_a_block_is_mostly_built_whole(block: Block) -> None:
    made = [built(block, seed, 100) for seed in range(COUNT)]
    assert sum(whole for _, whole in made) > COUNT / 2
    assert max(len(growth) for growth, _ in made) >= 2
    for growth, _ in made:
        if len(growth):
            check(growth.build())


@pytest.mark.parametrize("block", NAMED)
def test_a_block_ends_where_the_graph_is_full(block: Block) -> None:
    made = [built(block, seed, 1)[0] for seed in range(COUNT)]
    assert {len(growth) for growth in made} <= {0, 1}


def test_a_block_leaves_out_what_is_not_allowed() -> None:
    growth = Growth(FewSizes("refused"), lambda op, operands, results: op.name != "Exp")
    for _ in range(300):
        blocks.build(growth, 2_000)
    graph = check(growth.build())
    assert "Exp" not in {node.op for node in graph.nodes}
    assert {"ReduceMax", "Sub", "MatMul", "Conv"} <= {node.op for node in graph.nodes}


def test_what_is_computed_within_a_block_is_mostly_read_there_alone() -> None:
    alone = 0
    for seed in range(COUNT):
        growth = Growth(FewSizes(f"private {seed}"), None)
        before = {growth.input(growth.random_type("float32", 2))}
        blocks.build(growth, 100)
        offered = {name for name in growth.values if growth.is_read(name)} - before
        alone += not offered
    assert COUNT / 2 < alone < COUNT
