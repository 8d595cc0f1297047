"""The element types that the usual tests try: one of each kind for each operator. The long tests try all."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable

import pytest

from polyjuice.ir import dtypes
from tests.support.unchanged import UNCHANGED

KINDS = (("bool",), dtypes.INTS, ("float16", "bfloat16"), ("float32", "float64"))


def usual(name: str, types: Iterable[str]) -> list[str]:
    """One type of each kind. The operator's name decides which, so that every type has its operators."""
    there = set(types)
    kinds = ([dtype for dtype in kind if dtype in there] for kind in KINDS)
    return [kind[zlib.crc32(name.encode()) % len(kind)] for kind in kinds if kind]


def one_of_each_kind(types: Iterable[str]) -> list[str]:
    """One type of each kind: the one that frameworks have most kernels for."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for dtype in types:
        floating = dtypes.is_float(dtype) or dtype in dtypes.NARROW_FLOATS
        kinds["float" if floating else "int" if dtypes.is_int(dtype) else dtype].append(dtype)
    return [next((t for t in ("float32", "int64", "bool") if t in kind), kind[0]) for kind in kinds.values()]


def by_operator(pairs: Iterable[tuple[str, str]], suite: str = "") -> pytest.MarkDecorator:
    """Give a test the name of an operator and its types: the usual ones in one test, all of them in a long one.

    With a suite, the usual tests leave out the operators that have passed it unchanged.
    """
    types: dict[str, list[str]] = {}
    for name, dtype in pairs:
        types.setdefault(name, []).append(dtype)
    cases = []
    for name, every in types.items():
        marks = UNCHANGED.marks(suite, name) if suite else ()
        cases.append(pytest.param(name, usual(name, every), id=name, marks=marks))
        cases.append(pytest.param(name, every, id=f"{name}-all", marks=pytest.mark.long))
    return pytest.mark.parametrize(("name", "tried"), cases)
