"""Torch's implicit casts beside tensors of rank 0, compared with Torch for every pair of types."""

from __future__ import annotations

import itertools

import pytest

from polyjuice.frameworks.torch.constants import promoted
from polyjuice.ir import TensorType, dtypes
from tests.support.libraries import library

torch = library("torch")

PAIRS = [(a, b) for a, b in itertools.product(dtypes.ALL, repeat=2) if a != b]


def made(cast: str, rank: int, other: str, other_rank: int) -> bool:
    """Whether Torch keeps the type of the second operand."""
    x, y = (torch.ones((2,) * r, dtype=getattr(torch, t)) for t, r in ((cast, rank), (other, other_rank)))
    try:
        return torch.result_type(x, y) == y.dtype
    except RuntimeError as error:  # the wider unsigned types and other integers have no common type
        if "Promotion for uint16, uint32, uint64 types is not supported" not in str(error):
            raise
        return False


@pytest.mark.parametrize(("rank", "other_rank"), [(1, 0), (0, 1), (0, 0), (2, 1)])
def test_a_cast_is_left_out_only_where_torch_makes_it(rank: int, other_rank: int) -> None:
    left_out = [(a, b) for a, b in PAIRS if promoted(TensorType(a, (2,) * rank), TensorType(b, (2,) * other_rank))]
    assert left_out
    for a, b in left_out:
        assert made(a, rank, b, other_rank), (a, b)


def test_beside_a_tensor_of_rank_0_only_casts_that_round_stay() -> None:
    kept = {(a, b) for a, b in PAIRS if made(a, 0, b, 1) and not promoted(TensorType(a, ()), TensorType(b, (2,)))}
    halves = ("float16", "bfloat16")
    assert kept == {(a, b) for a in ("int16", "int32", "int64", *dtypes.WIDER_UNSIGNED) for b in halves} | {
        (a, b)
        for a in dtypes.FLOATS
        for b in dtypes.FLOATS
        if (b in halves or (a, b) == ("float64", "float32")) and a != b
    }
