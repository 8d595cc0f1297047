"""What the faulty ONNX optimizers share: a view of a model's graph, and a session that optimizes with them first.

A fault is a function ``rewrite(graph, node)`` that returns the nodes to stand in a node's place, the last of which
have its outputs, or None to leave it. It is called for each node in topological order.
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
    """A graph whose local functions are inlined, with what is known of its values: type, shape, definition, uses."""

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
        """Whether a rewrite changed anything: inlining functions alone may meet true bugs, which are no fault of it."""

    def apply(self, rewrite: Rewrite) -> ModelProto:
        """The model in which `rewrite` has been asked once for each node that has operands."""
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
        """The node that computes a value, if it is of one of these operators (none named: of any)."""
        node = self._makers.get(name)
        return node if node is not None and (not op_types or node.op_type in op_types) else None

    def users(self, name: str) -> list[NodeProto]:
        """The model's own nodes that read a value."""
        return [node for node in self.model.graph.node if name in node.input]

    def constant(self, name: str) -> np.ndarray | None:
        """The value of an initializer or Constant node."""
        return numpy_helper.to_array(self._constants[name]) if name in self._constants else None

    def scalar(self, name: str) -> float | int | None:
        """The value of a constant of one element, of whatever rank."""
        array = self.constant(name)
        return array.item() if array is not None and array.size == 1 else None

    def ints(self, node: NodeProto, position: int) -> list[int] | None:
        """The integers that a node has as its constant input at `position`; None where it has none there."""
        name = node.input[position] if position < len(node.input) else ""
        array = self.constant(name) if name else None
        return None if array is None else [int(i) for i in array.ravel()]

    def axes(self, node: NodeProto, position: int = 1) -> list[int] | None:
        """Likewise, counted from the front of the first operand's axes."""
        axes, rank = self.ints(node, position), self.rank(node.input[0])
        return None if axes is None or rank is None else [axis % rank for axis in axes]

    def shape(self, name: str) -> tuple[int, ...] | None:
        """A static shape; None where a size is unknown."""
        sizes = self.sizes(name)
        if sizes is None or not all(isinstance(size, int) for size in sizes):
            return None
        return tuple(size for size in sizes if isinstance(size, int))

    def sizes(self, name: str) -> tuple[int | str, ...] | None:
        """The sizes of a value: numbers, and symbols where they are equal but unknown. None if one is neither."""
        if name in self._constants:
            return tuple(self._constants[name].dims)
        if name not in self._types or not self._types[name].HasField("shape"):
            return None
        dims = self._types[name].shape.dim
        if not all(dim.HasField("dim_value") or dim.dim_param for dim in dims):
            return None
        return tuple(dim.dim_value if dim.HasField("dim_value") else dim.dim_param for dim in dims)

    def alike(self, *names: str) -> bool:
        """Whether values have one shape, as far as is known: unknown shapes are not alike."""
        sizes = [self.sizes(name) for name in names]
        return None not in sizes and all(other == sizes[0] for other in sizes)

    def rank(self, name: str) -> int | None:
        """The number of axes."""
        sizes = self.sizes(name)
        return None if sizes is None else len(sizes)

    def dtype(self, name: str) -> int:
        """The element type as TensorProto numbers it; UNDEFINED where it is not known."""
        if name in self._constants:
            return self._constants[name].data_type
        return self._types[name].elem_type if name in self._types else TensorProto.UNDEFINED

    def is_signed_integer(self, name: str) -> bool:
        """Whether a value is known to be of a signed integer type."""
        return self.dtype(name) in (TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64)

    def is_float(self, name: str) -> bool:
        """Whether a value is known to be of a floating type that NumPy has."""
        return self.dtype(name) in (TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)

    def add_constant(self, array: np.ndarray) -> str:
        """A new initializer's name."""
        name = self.fresh()
        self.model.graph.initializer.append(numpy_helper.from_array(array, name))
        self._constants[name] = self.model.graph.initializer[-1]
        return name

    def add_ints(self, values: Sequence[int]) -> str:
        """The name of a new initializer: a vector of int64."""
        return self.add_constant(np.array(values, np.int64))

    def like(self, name: str, value: float | int) -> str:
        """A new scalar constant of a value's element type."""
        return self.add_constant(np.array(value, helper.tensor_dtype_to_np_dtype(self.dtype(name))))

    def fresh(self) -> str:
        """A name that no value has, nor one that another planted optimizer has made."""
        taken = {name for node in self.model.graph.node for name in node.output} | self._constants.keys()
        self._new = next(number for number in itertools.count(self._new + 1) if f"planted:{number}" not in taken)
        return f"planted:{self._new}"


def attribute(node: NodeProto, name: str, default: Any = None) -> Any:
    """An attribute's value, or `default` where the node does not state it."""
    for found in node.attribute:
        if found.name == name:
            return helper.get_attribute_value(found)
    return default


def make(op_type: str, inputs: Sequence[str], output: str, **attributes: Any) -> NodeProto:
    """A node of one output."""
    return helper.make_node(op_type, inputs, [output], **attributes)


def changed(node: NodeProto, *, op_type: str = "", inputs: Sequence[str] = (), **attributes: Any) -> NodeProto:
    """A copy of a node with another operator, other inputs or attributes."""
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
    """Whether shapes broadcast to just this one, all of them known."""
    known = [shape for shape in shapes if shape is not None]
    try:
        return len(known) == len(shapes) and np.broadcast_shapes(*known) == result
    except ValueError:
        return False


def before_session(rewrite: Rewrite) -> Callable[[ModuleType], None]:
    """The ``plant`` of a fault: sessions made from now on optimize by `rewrite` first.

    Unless optimization is off, or the fault is among the session's disabled optimizers.
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
