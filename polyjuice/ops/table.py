"""The operator table itself, collected from the families."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType

from polyjuice.ir import Node
from polyjuice.ops import (
    activations,
    adaptive,
    bitwise,
    combinations,
    comparisons,
    complex_numbers,
    contractions,
    control,
    convolution,
    creating,
    elementwise,
    extremes,
    grids,
    indexing,
    layers,
    matrix,
    memory,
    normalization,
    patches,
    pooled_places,
    pooling,
    products,
    quantization,
    quantized_products,
    rearranging,
    reductions,
    resizing,
    scalars,
    scans,
    scattering,
    selection,
    similarity,
    softmax,
    sorting,
    statistics,
    structural,
    transcendental,
    viewing,
)
from polyjuice.ops.spec import Op

_FAMILIES = (
    elementwise,
    combinations,
    comparisons,
    selection,
    transcendental,
    activations,
    bitwise,
    scalars,
    structural,
    rearranging,
    indexing,
    scattering,
    viewing,
    creating,
    reductions,
    statistics,
    extremes,
    softmax,
    scans,
    sorting,
    matrix,
    memory,
    products,
    contractions,
    similarity,
    layers,
    convolution,
    patches,
    pooling,
    pooled_places,
    adaptive,
    normalization,
    resizing,
    grids,
    quantization,
    quantized_products,
    control,
    complex_numbers,
)

TABLE: Mapping[tuple[str, str], Op] = MappingProxyType(
    {(op.domain, op.name): op for family in _FAMILIES for op in family.OPS}
)
"""All operators, by (domain, name)."""


def matching(patterns: Sequence[str]) -> list[Op]:
    """The operators whose qualified names match one of the patterns; all operators without patterns.

    Raises ValueError naming a pattern that matches none.
    """
    for pattern in patterns:
        if not any(fnmatchcase(op.qualified, pattern) for op in TABLE.values()):
            raise ValueError(f"no operator is called {pattern}: see polyjuice ops (aten.* are those of ATen)")
    return [op for op in TABLE.values() if not patterns or any(fnmatchcase(op.qualified, p) for p in patterns)]


def without_complex(operators: Iterable[Op]) -> list[Op]:
    """The operators without complex numbers, which only complex programs have; all operators if no others are left."""
    every = list(operators)
    return [op for op in every if not op.of_complex] or every


def entry(node: Node) -> Op | None:
    """The table's entry for a node; None for an opaque one. Raises KeyError for an operator the table lacks."""
    return None if node.opaque else TABLE[node.domain, node.op]
