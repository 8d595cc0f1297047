"""Graphs in a line or two: ``graph("float32[2,3] x y; bool[] c", "z = Add(x, y); Where(c, z, 0), aten.square(z)")``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.ops import TABLE, GraphBuilder


class _Names(dict[str, Any]):
    """The names of a graph's text: values and operators."""

    def __init__(self, build: GraphBuilder) -> None:
        self.build = build

    def __missing__(self, name: str) -> Any:
        if not any(name in (domain.partition(".")[0], op) for domain, op in TABLE):
            raise KeyError(name)
        return _Operator(self.build, name)


class _Operator:
    """An operator that can be applied. ``aten.add.Scalar`` is the operator ``add.Scalar`` of the domain ``aten``."""

    def __init__(self, build: GraphBuilder, name: str) -> None:
        self._build, self._name = build, name

    def __getattr__(self, part: str) -> _Operator:
        return _Operator(self._build, f"{self._name}.{part}")

    def __call__(self, /, *operands: Any, **attrs: Any) -> Any:
        domain, name = next(key for key, op in TABLE.items() if op.qualified == self._name)
        dtype = next((self._build.types[x].dtype for x in reversed(operands) if isinstance(x, str)), "float32")
        names = [x if isinstance(x, str) else self._build.constant(_array(x, dtype)) for x in operands]
        results = self._build.multi(name, *names, domain=domain, **attrs)
        return results[0] if len(results) == 1 else results


def _array(value: Any, dtype: str) -> np.ndarray:
    return value if isinstance(value, np.ndarray | np.generic) else np.asarray(value).astype(dtypes.to_numpy(dtype))


def typed(text: str) -> TensorType:
    """The type ``float32[2,3]``."""
    dtype, _, shape = text.rstrip("]").partition("[")
    return TensorType(dtype, tuple(map(int, filter(None, shape.split(",")))))


def graph(inputs: str, body: str, updates: Mapping[str, str] | None = None, **known: Any) -> Graph:
    """The graph of some inputs and a body of Python: assignments, and then the outputs.

    Numbers, lists and arrays become constants, of the type of the operator's last operand unless they are arrays.
    ``known`` are further values that the body may name. ``updates`` maps inputs to the names of their new values.
    """
    build = GraphBuilder()
    names = _Names(build)
    for part in filter(None, inputs.split("; ")):
        declared, *values = part.split()
        names.update({name: build.input(typed(declared), name) for name in values})
    names.update(known)
    *statements, last = ast.parse(body).body
    exec(compile(ast.Module(statements, []), "<graph>", "exec"), {"np": np}, names)
    outputs: Any = []
    if isinstance(last, ast.Expr):
        outputs = eval(compile(ast.Expression(last.value), "<graph>", "eval"), {"np": np}, names)
    written = {name: names[value] for name, value in (updates or {}).items()}
    return build.build([outputs] if isinstance(outputs, str) else outputs, written)


def apply(op: str, /, *operands: TensorType | str, **attrs: Any) -> Graph:
    """The graph of one operator on inputs ``x0``, ``x1`` and so on. ``aten.NAME`` is an operator of ATen."""
    build = GraphBuilder()
    names = [build.input(typed(t) if isinstance(t, str) else t) for t in operands]
    results = _Operator(build, op)(*names, **attrs)
    return build.build([results] if isinstance(results, str) else results)
