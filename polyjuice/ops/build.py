"""Build and check typed graphs. Every step that makes a graph ends here, so that no ill-typed graph goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from polyjuice.ir import Attrs, Graph, GraphError, Node, TensorType, check_structure, dtypes
from polyjuice.ops.inference import Accepts, TypeMismatch, infer
from polyjuice.ops.registry import TABLE, entry
from polyjuice.ops.shapes import ShapeMismatch
from polyjuice.ops.spec import REQUIRED, Op


def complete_attrs(op: Op, attrs: Mapping[str, Any], dtype: str = "") -> Attrs:
    """The attributes with the operator's defaults filled in. Raises TypeMismatch where a required one is missing.

    Floats are rounded to ONNX's precision. That is single precision, or ``dtype`` (if not "") for attributes of the
    first operand's type.
    """
    full: dict[str, Any] = {}
    for attr in op.attrs:
        value = attrs.get(attr.name, attr.default)
        if value is REQUIRED:
            raise TypeMismatch(f"{op.name}: the attribute {attr.name!r} is missing")
        if attr.kind == "float" and value is not None:
            held = dtypes.to_numpy(dtypes.part_of(dtype or "float64") if attr.like_operand else "float32")
            with np.errstate(over="ignore"):  # a number beyond the type is infinite
                value = float(np.asarray(value).astype(held))
        if attr.kind == "floats":
            value = tuple(float(np.float32(v)) for v in value)
        full[attr.name] = value
    unknown = set(attrs) - set(full)
    if unknown:
        raise TypeMismatch(f"{op.name} has no attribute {', '.join(sorted(unknown))}")
    return full


def infer_node(node: Node, types: Mapping[str, TensorType]) -> tuple[TensorType, ...]:
    """The result types of a node of the table. Raises GraphError naming the node where it is not well typed."""
    op = entry(node)
    if op is None:
        raise GraphError(f"node {node}: an opaque operator's types are declared, not inferred")
    operands = tuple([types[name] for name in node.inputs])
    try:
        try:
            return _inferred(node.domain, node.op, operands, tuple(node.attrs.items()))
        except TypeError:  # an attribute without a hash: a list, a graph
            return infer(op, operands, node.attrs)
    except (TypeMismatch, ShapeMismatch) as error:
        raise GraphError(f"node {node}: {error}") from None


@lru_cache(1 << 14)
def _inferred(
    domain: str, name: str, operands: tuple[TensorType, ...], attrs: tuple[tuple[str, Any], ...]
) -> tuple[TensorType, ...]:
    """The result of ``infer``, cached, because a graph is checked after each step and most applications recur."""
    return infer(TABLE[domain, name], operands, dict(attrs))


def check(graph: Graph) -> Graph:
    """Return the graph if it is well formed and well typed, else raise GraphError naming the node."""
    check_structure(graph)
    for node in graph.nodes:
        if node.opaque:
            continue
        for value in node.attrs.values():
            if isinstance(value, Graph):
                check(value)
        results = infer_node(node, graph.types)
        if len(results) != len(node.outputs):
            raise GraphError(f"node {node}: the operator has {len(results)} outputs")
        for name, result in zip(node.outputs, results, strict=True):
            if name and graph.types[name] != result:
                raise GraphError(f"node {node}: {name} is declared {graph.types[name]} and computed {result}")
    return graph


def is_accepted(graph: Graph, accepts: Accepts | None) -> bool:
    """Whether every application of the table's operators is accepted; None accepts all."""
    types, nodes = graph.types, [(op, node) for node in graph.nodes if (op := entry(node))]
    return accepts is None or all(
        accepts(op, [types[x] for x in node.inputs if x], [types[y] for y in node.outputs if y]) for op, node in nodes
    )


class GraphBuilder:
    """Collects inputs, constants and nodes, infers every type, and builds a checked Graph."""

    def __init__(self, opsets: Mapping[str, int] | None = None) -> None:
        self.types: dict[str, TensorType] = {}
        self._inputs: list[str] = []
        self._constants: dict[str, np.ndarray] = {}
        self._nodes: list[Node] = []
        self._opsets = dict(opsets or {})

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def nodes(self) -> Sequence[Node]:
        """The nodes so far, in order."""
        return self._nodes

    def _fresh(self, stem: str) -> str:
        return f"{stem}{len(self.types)}"

    def input(self, type: TensorType, name: str | None = None) -> str:
        """Add an input; returns its name."""
        name = name or self._fresh("x")
        self.types[name] = type
        self._inputs.append(name)
        return name

    def constant(self, array: np.ndarray, name: str | None = None) -> str:
        name = name or self._fresh("c")
        self.types[name] = TensorType(dtypes.dtype_of(array), array.shape)
        self._constants[name] = array
        return name

    def op(self, op: str, /, *inputs: str, domain: str = "", outputs: Sequence[str] = (), **attrs: Any) -> str:
        return self.multi(op, *inputs, domain=domain, outputs=outputs, **attrs)[0]

    def multi(
        self, op: str, /, *inputs: str, domain: str = "", outputs: Sequence[str] = (), **attrs: Any
    ) -> tuple[str, ...]:
        dtype = self.types[inputs[0]].dtype if inputs and inputs[0] in self.types else ""
        node = Node(op, inputs, (), complete_attrs(TABLE[domain, op], attrs, dtype), domain)
        results = infer_node(node, self.types)
        return self.apply(op, domain, inputs, node.attrs, results, outputs)

    def apply(
        self,
        op: str,
        domain: str,
        inputs: Sequence[str],
        attrs: Attrs,
        results: Sequence[TensorType],
        outputs: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Apply an operator of the table with all its attributes and known result types; returns the results' names."""
        names = tuple(outputs) or tuple(
            f"v{len(self.types)}_{i}" if i else self._fresh("v") for i in range(len(results))
        )
        self.append(Node(op, tuple(inputs), names, attrs, domain), results)
        return names

    def append(self, node: Node, results: Sequence[TensorType]) -> None:
        """Add a node whose result types are known (an opaque one, or one already inferred)."""
        for name, result in zip(node.outputs, results, strict=True):
            if name:
                self.types[name] = result
        self._nodes.append(node)

    def build(self, outputs: Sequence[str], updates: Mapping[str, str] = MappingProxyType({})) -> Graph:
        """The checked graph; ``updates`` maps an updated input to its final value. Raises GraphError."""
        return check(self.graph(outputs, updates))

    def graph(self, outputs: Sequence[str], updates: Mapping[str, str] = MappingProxyType({})) -> Graph:
        return Graph(
            tuple(self._inputs),
            dict(self._constants),
            tuple(self._nodes),
            (*outputs, *updates.values()),
            dict(self.types),
            self._opsets,
            {name: len(outputs) + number for number, name in enumerate(updates)},
        )
