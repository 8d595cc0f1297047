"""Helpers for the faulty ONNX optimizers: a view of a model's graph, and a session that optimizes with them first.

A fault is a function ``rewrite(graph, node)``. It returns the nodes that replace a node, the last of which have its
outputs, or None to keep the node. It is called for each node in topological order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, inliner, numpy_helper, shape_inference
from planted import meet, optimizers

BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min")
UNARY = ("Abs", "Neg", "Relu", "Sqrt", "Exp", "Log", "Floor", "Ceil", "Sigmoid", "Tanh", "Sin", "Cos", "Erf", "Sign")
"""Elementwise operators with two operands, and with one."""

Rewrite = Callable[["GraphView", NodeProto], "list[NodeProto] | None"]


class GraphView:
    """A graph with local functions inlined, and the facts about its values: type, shape, definition, uses."""

    def __init__(self, model: ModelProto) -> None:
        if model.functions:
            model = inliner.inline_local_functions(model)
        self.model = shape_inference.infer_shapes(model)
        graph = self.model.graph
        self.outputs = {info.name for info in graph.output}
        self._types = {i.name: i.type.tensor_type for i in [*graph.input, *graph.value_info, *graph.output]}
        self._constants = {tensor.name: tensor for tensor in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self._constants[node.output[0]] = node.attribute[0].t
        self._makers = {name: node for node in graph.node for name in node.output if name}
        self._new = 0
        self.changed = False
        """Whether a rewrite changed anything. If not, the model is not replaced: inlining alone may meet true bugs."""

    def apply(self, rewrite: Rewrite) -> ModelProto:
        """Apply `rewrite` once to each node that has operands, and return the model."""
        graph = self.model.graph
        done: list[NodeProto] = []
        for node in graph.node:
            new = rewrite(self, node) if node.input else None
            self.changed = self.changed or new is not None
            done += [node] if new is None else new
            self._makers.update({name: node for node in new or () for name in node.output})
        del graph.node[:]
        graph.node.extend(done)
        return self.model

    def maker(self, name: str, *op_types: str) -> NodeProto | None:
        """Return the node that computes a value, if it has one of these operators (none named: any operator)."""
        node = self._makers.get(name)
        return node if node is not None and (not op_types or node.op_type in op_types) else None

    def users(self, name: str) -> list[NodeProto]:
        """Return the model's own nodes that read a value."""
        return [node for node in self.model.graph.node if name in node.input]

    def constant(self, name: str) -> np.ndarray | None:
        """Return the value of an initializer or Constant node; None for other values."""
        return numpy_helper.to_array(self._constants[name]) if name in self._constants else None

    def scalar(self, name: str) -> float | int | None:
        """Return the value of a constant with one element, of any rank; None for other values."""
        array = self.constant(name)
        return array.item() if array is not None and array.size == 1 else None

    def ints(self, node: NodeProto, position: int) -> list[int] | None:
        """Return the integers of a node's constant input at `position`; None if there is none."""
        name = node.input[position] if position < len(node.input) else ""
        array = self.constant(name) if name else None
        return None if array is None else [int(i) for i in array.ravel()]

    def axes(self, node: NodeProto, position: int = 1) -> list[int] | None:
        """Return a node's constant input at `position` as axes of its first operand, none of them negative."""
        axes, rank = self.ints(node, position), self.rank(node.input[0])
        return None if axes is None or rank is None else [axis % rank for axis in axes]

    def shape(self, name: str) -> tuple[int, ...] | None:
        """Return a static shape; None if a size is unknown."""
        sizes = self.sizes(name)
        if sizes is None or not all(isinstance(size, int) for size in sizes):
            return None
        return tuple(size for size in sizes if isinstance(size, int))

    def sizes(self, name: str) -> tuple[int | str, ...] | None:
        """Return the sizes of a value: numbers, or symbols for unknown sizes. None if one is neither."""
        if name in self._constants:
            return tuple(self._constants[name].dims)
        if name not in self._types or not self._types[name].HasField("shape"):
            return None
        dims = self._types[name].shape.dim
        if not all(dim.HasField("dim_value") or dim.dim_param for dim in dims):
            return None
        return tuple(dim.dim_value if dim.HasField("dim_value") else dim.dim_param for dim in dims)

    def alike(self, *names: str) -> bool:
        """Whether values are known to have the same shape; false for unknown shapes."""
        sizes = [self.sizes(name) for name in names]
        return None not in sizes and all(other == sizes[0] for other in sizes)

    def rank(self, name: str) -> int | None:
        """Return the number of axes; None if it is unknown."""
        sizes = self.sizes(name)
        return None if sizes is None else len(sizes)

    def dtype(self, name: str) -> int:
        """Return the element type as TensorProto numbers it; UNDEFINED if it is unknown."""
        if name in self._constants:
            return self._constants[name].data_type
        return self._types[name].elem_type if name in self._types else TensorProto.UNDEFINED

    def is_signed_integer(self, name: str) -> bool:
        """Whether a value is known to have a signed integer type."""
        return self.dtype(name) in (TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64)

    def is_float(self, name: str) -> bool:
        """Whether a value is known to have a floating type that NumPy has."""
        return self.dtype(name) in (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)

    def add_constant(self, array: np.ndarray) -> str:
        """Add an initializer, and return its name."""
        name = self.fresh()
        self.model.graph.initializer.append(numpy_helper.from_array(array, name))
        self._constants[name] = self.model.graph.initializer[-1]
        return name

    def add_ints(self, values: Sequence[int]) -> str:
        """Add an initializer, a vector of int64, and return its name."""
        return self.add_constant(np.array(values, np.int64))

    def like(self, name: str, value: float | int) -> str:
        """Add a scalar constant with a value's element type, and return its name."""
        return self.add_constant(np.array(value, helper.tensor_dtype_to_np_dtype(self.dtype(name))))

    def fresh(self) -> str:
        """Return a name that no value has, not even one of another planted optimizer."""
        taken = {name for node in self.model.graph.node for name in node.output} | self._constants.keys()
        self._new = next(number for number in itertools.count(self._new + 1) if f"planted:{number}" not in taken)
        return f"planted:{self._new}"


def attribute(node: NodeProto, name: str, default: Any = None) -> Any:
    """Return an attribute's value, or `default` if the node does not have it."""
    for found in node.attribute:
        if found.name == name:
            return helper.get_attribute_value(found)
    return default


def make(op_type: str, inputs: Sequence[str], output: str, **attributes: Any) -> NodeProto:
    """Return a new node with one output."""
    return helper.make_node(op_type, inputs, [output], **attributes)


def changed(node: NodeProto, *, op_type: str = "", inputs: Sequence[str] = (), **attributes: Any) -> NodeProto:
    """Return a copy of a node with another operator, other inputs or attributes."""
    new = NodeProto()
    new.CopyFrom(node)
    new.op_type = op_type or node.op_type
    if inputs:
        new.input[:] = inputs
    kept = [found for found in node.attribute if found.name not in attributes]
    del new.attribute[:]
    new.attribute.extend([*kept, *(helper.make_attribute(name, value) for name, value in attributes.items())])
    return new


def broadcasts(shapes: Sequence[tuple[int, ...] | None], result: tuple[int, ...] | None) -> bool:
    """Whether shapes, all of them known, broadcast to exactly this one."""
    known = [shape for shape in shapes if shape is not None]
    try:
        return len(known) == len(shapes) and np.broadcast_shapes(*known) == result
    except ValueError:
        return False


def before_session(rewrite: Rewrite) -> Callable[[ModuleType], None]:
    """Return the ``plant`` of a fault: sessions made from then on optimize by `rewrite` first.

    They do not if optimization is off, or the fault is among the session's disabled optimizers.
    """

    def plant(onnxruntime: ModuleType) -> None:
        off = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        optimizers.add(rewrite.__module__)

        class InferenceSession(onnxruntime.InferenceSession):  # type: ignore[misc, name-defined]
            def __init__(self, model: Any, sess_options: Any = None, *arguments: Any, **options: Any) -> None:
                optimized = sess_options is None or sess_options.graph_optimization_level != off
                if optimized and rewrite.__module__ not in (options.get("disabled_optimizers") or ()):
                    proto = onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(model)
                    view = GraphView(proto)
                    faulty = view.apply(rewrite)
                    if view.changed:
                        model = faulty.SerializeToString()
                        meet(rewrite.__module__)
                super().__init__(model, sess_options, *arguments, **options)

        onnxruntime.InferenceSession = InferenceSession

    return plant
