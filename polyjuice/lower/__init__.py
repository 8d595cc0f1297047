"""Lowering: a graph as an artifact of the format that a compiler eats, in a spelling that the seed chooses."""

from __future__ import annotations

import random

from polyjuice import formats
from polyjuice.execution import Artifact
from polyjuice.ir import Graph
from polyjuice.lower import torch_source
from polyjuice.lower.problem import Unlowerable

__all__ = ["Unlowerable", "lower"]


def lower(graph: Graph, format: str, seed: int | str) -> Artifact:
    """The artifact of a graph. Raises Unlowerable where the format cannot say it."""
    match format:
        case "torch":
            return torch_source.lower(graph, random.Random(f"lower {seed}"))
        case "onnx":
            return Artifact("onnx", formats.to_model(graph).SerializeToString(deterministic=True))
        case _:
            raise Unlowerable(f"there is no lowering to {format}")
