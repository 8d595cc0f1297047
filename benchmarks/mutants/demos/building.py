"""Helpers for the tables of demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import GraphBuilder

Demo = tuple[Graph, list[np.ndarray]]
Table = dict[str, Callable[[], Demo]]


def adder(table: Table) -> Callable[..., Callable[[Callable[..., str | Sequence[str]]], None]]:
    """Return a decorator that takes inputs, and adds the graph that a function builds on them to `table`.

    The function takes a GraphBuilder and the names of the inputs, and returns the name or names of the outputs. Its
    own name, with hyphens, is that of the fault.
    """

    def demo(*inputs: np.ndarray) -> Callable[[Callable[..., str | Sequence[str]]], None]:
        def add(make: Callable[..., str | Sequence[str]]) -> None:
            def graph() -> Demo:
                build = GraphBuilder()
                names = [build.input(TensorType(dtypes.dtype_of(x), x.shape)) for x in inputs]
                outputs = make(build, *names)
                return build.build([outputs] if isinstance(outputs, str) else outputs), list(inputs)

            table[make.__name__.replace("_", "-")] = graph

        return add

    return demo


def ramp(*shape: int, dtype: str = "float32", start: int = -5) -> np.ndarray:
    """Return the integers from `start` on, in order."""
    return np.arange(start, start + int(np.prod(shape))).astype(dtype).reshape(shape)


def mixed(*shape: int, dtype: str = "float32", limit: int = 9) -> np.ndarray:
    """Return integers from -limit to limit, in a fixed but irregular order."""
    count = int(np.prod(shape))
    return (np.arange(count) * 7919 % 10007 % (2 * limit + 1) - limit).astype(dtype).reshape(shape)
