"""Read an ONNX model as a Graph: table nodes in normal form, everything else opaque, every shape static.

- Unset dimensions of graph inputs become 1.
- Older models become models of opset 18, without local functions (:mod:`polyjuice.frameworks.onnx.versions`).
- ``Constant``, ``ConstantOfShape``, ``Shape``, ``Size`` and ``Range`` of known operands become constants. A Dropout in
  inference form becomes an Identity.
- Nodes that only compute shapes are evaluated where another node needs the shape. Nodes that no output needs are
  dropped.
- A file that :func:`polyjuice.frameworks.onnx.graph_files.save` wrote is read without rewriting or folding.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TypeProto, helper

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.forked import doing, run_in_fork
from polyjuice.frameworks.limits import Budget, TooLarge
from polyjuice.frameworks.onnx import control_flow, opaque
from polyjuice.frameworks.onnx.file import load_model
from polyjuice.frameworks.onnx.normal import normal_attrs
from polyjuice.frameworks.onnx.structure import check_structure, label, shown
from polyjuice.frameworks.onnx.subgraphs import RESERVED, nested_nodes
from polyjuice.frameworks.onnx.tensors import declared_dims, dtype_of, result_type, to_array
from polyjuice.frameworks.onnx.versions import OPSET, default_version, is_default, prepare, since_version
from polyjuice.ir import UNKNOWN, Graph, GraphError, Node, TensorType, dtypes, prune
from polyjuice.ops import TABLE, Attr, Op, ShapeMismatch, TypeMismatch, check, infer
from polyjuice.ops.normal import NotCovered
from polyjuice.ops.spec import REQUIRED

PRODUCER = "polyjuice"
"""The producer named in the files that this package writes."""

OUTPUT_MARK = f"{RESERVED}output:"
"""The prefix of Identity nodes that only give a graph output a name of its own."""

UPDATES = "polyjuice.updates"
"""The entry of a model's metadata for updated inputs: JSON, from the input's name to the output's number."""

UNUSED_MARK = f"{RESERVED}unused:"
"""The prefix of names for results that have no name in the Graph."""

_RENAMED = frozenset(["GridSample"])
"""Operators whose attributes' values have other names at later opsets."""

_LARGEST_PROPAGATED = 1024
"""Known operands of at most this many elements take part in shape inference: shapes, not weights."""

_CREATORS = ("ConstantOfShape", "Range", "Shape", "Size")
"""Operators that become constants, because their results depend only on shapes and other constants."""

_EXTRA_INPUTS: Mapping[str, Sequence[Attr]] = {
    "Pad": (Attr("axes", "ints", None),),
    "Resize": (Attr("roi", "floats", None, place=1),),
}
"""Inputs of the table's operators that the entry does not know; the normal form does without them."""

_EVALUATION_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""The exceptions of ONNX's reference evaluator on unsuitable operands."""


def load(path: str | Path) -> Graph:
    """The Graph of an ONNX file, which a process of its own reads. Raises FormatError."""
    return run_in_fork(lambda: _graph(load_model(path), str(path)), str(path))


def from_model(model: ModelProto, where: str = "model") -> Graph:
    """The Graph of a model, which this process reads; ``where`` (a file name) begins the messages.

    A hostile model may crash the process. Raises FormatError.
    """
    try:
        check_structure(model)
    except FormatError as error:
        raise type(error)(f"{where}: {error}") from None
    return _graph(model, where)


def _graph(model: ModelProto, where: str) -> Graph:
    try:
        graph = _Reader(prepare(model), Budget()).read()
        return check(replace(graph, updates=_updates(model)))
    except TooLarge as error:
        raise TooLarge(f"{where}: {error}") from None
    except (FormatError, GraphError) as error:
        raise FormatError(f"{where}: {error}") from None


class _Reader:
    def __init__(self, model: ModelProto, budget: Budget) -> None:
        self.proto = model.graph
        self.budget = budget
        self.native = model.producer_name == PRODUCER
        self.version = default_version(model)
        self.imports = {o.domain: o.version for o in model.opset_import if not is_default(o.domain)}
        self.opsets: dict[str, int] = {}
        self.types: dict[str, TensorType] = {}
        self.inputs: list[str] = []
        self.constants: dict[str, np.ndarray] = {}
        self.nodes: list[Node] = []
        #: Names that stand for another value.
        self.aliases: dict[str, str] = {}
        #: The nodes with only constant operands, by result: evaluated where a value is needed.
        self.foldable: dict[str, NodeProto] = {}
        self.folded: dict[str, np.ndarray | None] = {}
        self.identities: set[str] = set()
        declarations = (*self.proto.value_info, *self.proto.output)
        self.declared: dict[str, TypeProto] = {info.name: info.type for info in declarations}
        self.used = {info.name for info in self.proto.output}
        for node in self.proto.node:
            self.used.update(name for inner in nested_nodes(node) for name in inner.input)

    def read(self) -> Graph:
        for tensor in self.proto.initializer:
            self.add_constant(tensor.name, to_array(tensor, tensor.name))
        for info in self.proto.input:
            if info.name not in self.constants:
                self.inputs.append(info.name)
                self.types[info.name] = _input_type(info.type, info.name)
                self.budget.spend(info.name, self.types[info.name])
        for index, node in enumerate(self.proto.node):
            try:
                with doing(f"node {label(node, index)}"):
                    self.add_node(node, index)
            except FormatError as error:
                raise type(error)(f"node {label(node, index)}: {error}") from None
        outputs = tuple(self.aliases.get(info.name, info.name) for info in self.proto.output)
        for name in outputs:
            if name not in self.types:
                raise FormatError(f"the output {name!r} is computed by no node")
        nodes = tuple(self.nodes)
        return check(prune(Graph(tuple(self.inputs), self.constants, nodes, outputs, self.types, self.opsets)))

    # --- nodes ----------------------------------------------------------------------------------------------

    def add_node(self, proto: NodeProto, index: int) -> None:
        """Add one node, as a constant, a table node or an opaque node. Raises FormatError."""
        proto = self.resolved(proto)
        default = is_default(proto.domain)
        if proto.op_type == "Identity" and proto.name.startswith(OUTPUT_MARK) and proto.input and proto.output:
            self.aliases[proto.output[0]] = proto.input[0]
            return
        marked = self.native and proto.name.startswith(opaque.MARK)
        written = self.native and ("", proto.op_type) in TABLE  # as it was in a Graph
        if default and not marked and not written:
            if self.add_created(proto):
                return
            if proto.op_type == "Dropout" and self.is_inference(proto):
                proto = helper.make_node("Identity", proto.input[:1], proto.output[:1])
        if default and proto.op_type == "CastLike" and not marked:
            to = helper.np_dtype_to_tensor_dtype(dtypes.to_numpy(self.types[proto.input[1]].dtype))
            proto = helper.make_node("Cast", proto.input[:1], proto.output, proto.name, to=to)
        self.note_foldable(proto)
        if marked or not self.add_table_node(proto):
            self.add_opaque_node(proto, index)

    def resolved(self, proto: NodeProto) -> NodeProto:
        """The node with the names of the Graph. Raises FormatError where an input is undefined."""
        for name in filter(None, proto.input):
            if name not in self.types and name not in self.aliases:
                raise FormatError(f"the input {name!r} is not defined before it")
        for name in filter(None, proto.output):
            if name in self.types or name in self.aliases:
                raise FormatError(f"the value {name!r} is defined twice")
        renamed = any(name in self.aliases for name in proto.input)
        unused = any(name.startswith(UNUSED_MARK) for name in proto.output)
        if renamed or unused:
            copy = NodeProto()
            copy.CopyFrom(proto)
            copy.input[:] = [self.aliases.get(name, name) for name in proto.input]
            copy.output[:] = ["" if name.startswith(UNUSED_MARK) else name for name in proto.output]
            return copy
        return proto

    def add_constant(self, name: str, array: np.ndarray) -> None:
        """Add a constant. Raises FormatError for element types that the IR lacks."""
        if array.dtype not in (dtypes.to_numpy(dtype) for dtype in dtypes.EVERY):
            raise FormatError(
                f"the value {name!r} has the element type {array.dtype}, which Polyjuice does not support"
            )
        self.types[name] = TensorType(dtypes.dtype_of(array), array.shape)
        self.constants[name] = array

    def add_created(self, proto: NodeProto) -> bool:
        """Make a Constant, or a creator whose operands are known, a constant of the Graph."""
        if proto.op_type == "Constant":
            self.add_constant(proto.output[0], _constant_value(proto))
            return True
        if proto.op_type not in _CREATORS:
            return False
        attrs = {a.name: a for a in proto.attribute}
        if proto.op_type in ("Shape", "Size"):
            if not self.types[proto.input[0]].known:
                return False
            shape = self.types[proto.input[0]].shape
            start, end = (attrs[k].i if k in attrs else None for k in ("start", "end"))
            value = shape[start:end] if proto.op_type == "Shape" else self.types[proto.input[0]].size
            array: np.ndarray | None = np.array(value, np.int64)
        elif proto.op_type == "ConstantOfShape":
            sizes = self.value_of(proto.input[0])
            fill = to_array(attrs["value"].t, proto.output[0]) if "value" in attrs else np.zeros(1, np.float32)
            array = None if sizes is None else self.filled(fill, tuple(map(int, sizes.reshape(-1))), proto.output[0])
        else:
            self.check_range(proto)
            array = self.evaluated(proto, proto.output[0])
        if array is None:
            return False
        self.add_constant(proto.output[0], array)
        return True

    def filled(self, fill: np.ndarray, shape: tuple[int, ...], result: str) -> np.ndarray:
        if fill.size != 1:
            raise FormatError("its value is not one number")
        if any(size < 0 for size in shape):
            raise FormatError(f"its shape {shape} has a negative size")
        self.budget.spend(result, TensorType(dtypes.dtype_of(fill), shape))
        return np.broadcast_to(fill.reshape(()), shape)

    def check_range(self, proto: NodeProto) -> None:
        """Count the elements of a Range with known operands, before the library makes it. Raises TooLarge."""
        operands = [self.value_of(name) for name in proto.input]
        if all(operand is not None and operand.size == 1 for operand in operands):
            start, limit, step = (float(np.asarray(operand).reshape(())) for operand in operands)
            count = (limit - start) / step if step else 0.0
            if math.isfinite(count) and count > 0:
                self.budget.spend(proto.output[0], TensorType("int64", (math.ceil(count),)))

    def is_inference(self, proto: NodeProto) -> bool:
        """Whether a Dropout passes its input on, and its mask has no reader."""
        training = self.value_of(proto.input[2]) if len(proto.input) > 2 and proto.input[2] else np.array(False)
        return training is not None and not training.any() and not self.used.intersection(proto.output[1:])

    def add_table_node(self, proto: NodeProto) -> bool:
        domain = "" if is_default(proto.domain) else proto.domain
        op = TABLE.get((domain, proto.op_type))
        if op is None or not proto.output or (not domain and op.since > max(self.version, OPSET)):
            return False
        try:
            operands, attrs = self.application(op, proto)
            types = [self.types[name] for name in operands]
            outputs = _outputs(op, proto)
            if not (self.native and set(attrs) == {attr.name for attr in op.attrs} and op.name not in _RENAMED):
                attrs = dict(normal_attrs(op, attrs, types, len(outputs)))
            results = infer(op, types, attrs)
        except (NotCovered, TypeMismatch, ShapeMismatch):
            return False
        if len(results) != len(outputs) or any(size < 0 for type in results for size in type.shape if size != UNKNOWN):
            return False
        self.append(Node(proto.op_type, operands, outputs, attrs, domain), results)
        return True

    def application(self, op: Op, proto: NodeProto) -> tuple[tuple[str, ...], dict[str, Any]]:
        """The operands, and the attributes as the file has them. Raises NotCovered."""
        if op.unrolled:
            operands, given = control_flow.operands_and_graphs(op, proto, self.types, self.subgraph, self.value_of)
            control_flow.check_iterations(given)
            return operands, given
        as_inputs = [attr for attr in op.attrs if attr.as_input and attr.place is None]
        inputs = list(proto.input)
        extra = [] if op.domain else list(_EXTRA_INPUTS.get(op.name, ()))
        placed = [(attr, inputs.pop(place)) for place, attr in _by_place((*op.attrs, *extra)) if place < len(inputs)]
        extra = [attr for attr in extra if attr.place is None]
        count = len(op.inputs) if as_inputs else len(inputs)
        operands, rest = _without_trailing(inputs[:count]), inputs[count:]
        if "" in operands:
            raise NotCovered("an optional operand is absent before one that is there")
        attrs = {a.name: _attribute_value(a, op, proto.output[0]) for a in proto.attribute}
        if any(rest[len(as_inputs) + len(extra) :]):
            raise NotCovered("inputs that the entry lacks")
        for attr, name in (*((a, n) for a, n in placed if n), *zip((*as_inputs, *extra), rest, strict=False)):
            if name:
                attrs[attr.name] = self.constant_attribute(attr, name, operands)
            elif attr.default is not REQUIRED:
                attrs[attr.name] = None
        if self.native:
            attrs = {**{attr.name: None for attr in as_inputs if attr.default is not REQUIRED}, **attrs}
        return operands, attrs

    def subgraph(self, graph: GraphProto) -> Graph:
        """The Graph of a subgraph whose inputs are typed. Raises NotCovered."""
        opsets = {**self.imports, "": self.version}
        imports = [helper.make_opsetid(domain, version) for domain, version in opsets.items()]
        model = ModelProto(producer_name=PRODUCER if self.native else "", graph=graph, opset_import=imports)
        try:
            return _Reader(model, self.budget).read()
        except TooLarge:
            raise
        except (FormatError, GraphError) as error:
            raise NotCovered(str(error)) from None

    def constant_attribute(self, attr: Attr, name: str, operands: Sequence[str]) -> Any:
        """Raises NotCovered where the input is not constant, or its value does not fit the first operand's type."""
        array = self.value_of(name)
        if array is None:
            raise NotCovered(f"{attr.name} is not constant")
        if np.iscomplexobj(array):
            raise NotCovered(f"{attr.name} is complex")
        if attr.kind == "ints":
            return tuple(int(v) for v in array.ravel())
        if attr.kind == "floats":
            return tuple(float(v) for v in array.ravel())
        if array.size != 1:
            raise NotCovered(f"{attr.name} is not one number")
        value = array.reshape(()).item()
        if isinstance(value, int) and int(float(value)) != value:
            raise NotCovered(f"{attr.name} is no number of double precision")
        if attr.like_operand and operands and not dtypes.holds(self.types[operands[0]].dtype, value):
            raise NotCovered(f"{attr.name} is no number of the type of its operand")
        return int(value) if attr.kind == "int" else float(value)

    def add_opaque_node(self, proto: NodeProto, index: int) -> None:
        """Add a node verbatim, with inferred or declared result types. Raises FormatError where a type is unknown."""
        node = opaque.from_proto(proto, self.identity(proto, index))
        for name in filter(None, node.inputs):
            if name not in self.types:
                raise FormatError(f"the value {name!r} that its subgraph captures is not defined before it")
        opsets = {**self.imports, "": self.version}
        known = {name: value for name in node.inputs if (value := self.small_value(name)) is not None}
        inferred = opaque.infer_results(node, self.types, known, opsets)
        outputs: list[str] = []
        results: list[TensorType | None] = []
        for name, type in zip(node.outputs, inferred, strict=True):
            stated = result_type(self.declared[name], name) if name in self.declared else None
            result = stated if stated and not (type and type.known) else type
            if name and result is None and name in self.used:
                raise FormatError(
                    f"the type of its output {name!r} is unknown; declare its static shape in the value_info"
                )
            outputs.append(name if result else "")
            results.append(result)
        for inner in nested_nodes(proto):
            if not is_default(inner.domain):
                self.opsets[inner.domain] = self.imports.get(inner.domain, 1)
            elif since_version(inner.op_type, self.version) > OPSET:
                self.opsets[""] = self.version
        self.append(replace(node, outputs=tuple(outputs)), results)

    def identity(self, proto: NodeProto, index: int) -> str:
        """A unique name for a node that may be random or stateful (its own, if it has one), else ``""``."""
        name = proto.name.removeprefix(opaque.MARK)
        if self.native and proto.name.startswith(opaque.MARK):
            return "" if name.startswith(opaque.NO_IDENTITY) else name
        if not opaque.is_stateful(proto):
            return ""
        if not name or name in self.identities or name.startswith(opaque.NO_IDENTITY):
            name = f"{proto.op_type}_{index}"
        self.identities.add(name)
        return name

    def append(self, node: Node, results: Sequence[TensorType | None]) -> None:
        """Add a node with the types of its results. Raises TooLarge."""
        for name, type in zip(node.outputs, results, strict=True):
            if type:
                self.budget.spend(name, type)
        self.nodes.append(node)
        self.types.update((n, type) for n, type in zip(node.outputs, results, strict=True) if n and type)

    # --- known values ---------------------------------------------------------------------------------------

    def note_foldable(self, proto: NodeProto) -> None:
        known = all(not name or name in self.constants or name in self.foldable for name in proto.input)
        repeats = any(inner.op_type in ("Loop", "Scan") for inner in nested_nodes(proto))
        if known and is_default(proto.domain) and not repeats and not opaque.is_stateful(proto):
            self.foldable.update((name, proto) for name in proto.output if name)

    def value_of(self, name: str) -> np.ndarray | None:
        if name in self.constants:
            return self.constants[name]
        if name in self.foldable and name not in self.folded:
            self.folded[name] = self.evaluated(self.foldable[name], name)
        return self.folded.get(name)

    def small_value(self, name: str) -> np.ndarray | None:
        small = name in self.types and self.types[name].size <= _LARGEST_PROPAGATED
        return self.value_of(name) if small else None

    def evaluated(self, proto: NodeProto, result: str) -> np.ndarray | None:
        """A result of a node on known operands, by ONNX's reference evaluator; None where it fails."""
        from onnx.reference import ReferenceEvaluator  # slow to import, and rarely needed

        operands = {name: self.value_of(name) for name in proto.input if name}
        if any(value is None for value in operands.values()):
            return None
        try:
            evaluator = ReferenceEvaluator(proto, opsets={"": self.version})
            values = dict(zip(proto.output, evaluator.run(None, operands), strict=False))
        except _EVALUATION_ERRORS:
            return None
        value = values.get(result)
        return np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else None


def _updates(model: ModelProto) -> dict[str, int]:
    """The updates that a model's metadata declare. Raises FormatError."""
    texts = [entry.value for entry in model.metadata_props if entry.key == UPDATES] or ["{}"]
    try:
        (text,) = texts
        updates = json.loads(text)
    except (ValueError, RecursionError):
        updates = None
    if isinstance(updates, dict) and all(isinstance(place, int) for place in updates.values()):
        return updates
    raise FormatError(f"the metadata entry {UPDATES} is no JSON object of output numbers by input: {shown(texts[0])}")


def _input_type(type: TypeProto, name: str) -> TensorType:
    """The type of a graph input, with 1 for each dimension that the model leaves open."""
    declared = declared_dims(type, name)
    if declared is None or declared[1] is None:
        raise FormatError(f"the graph input {name!r} has no shape; declare it in the model, at least its rank")
    return TensorType(declared[0], tuple(1 if size is None else size for size in declared[1]))


def _constant_value(proto: NodeProto) -> np.ndarray:
    """The value of a Constant node. Raises FormatError for strings and sparse tensors."""
    if len(proto.attribute) != 1:
        raise FormatError(f"the constant {proto.output[0]!r} needs one value, and has {len(proto.attribute)}")
    (attribute,) = proto.attribute
    if attribute.name == "value":
        return to_array(attribute.t, proto.output[0])
    kinds: Mapping[str, type[np.generic]] = {"value_float": np.float32, "value_int": np.int64}
    kind = kinds.get(attribute.name.removesuffix("s"))
    if kind is None:
        raise FormatError(f"the constant {proto.output[0]!r} is a {attribute.name}, which Polyjuice does not support")
    return np.array(helper.get_attribute_value(attribute), kind)


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "int": int,
    "dtype": int,
    "float": (int, float),
    "string": str,
    "": (int, float, str, tuple),
}
"""The types of a value by the kind of its attribute, "" for one that the entry lacks; plural kinds have tuples."""


def _suits(value: Any, kind: str) -> bool:
    """Whether an attribute of a kind may have the value, which ONNX's checker does not check without an opset."""
    if kind in ("ints", "floats"):
        return isinstance(value, tuple) and all(_suits(part, kind.removesuffix("s")) for part in value)
    return isinstance(value, _KINDS.get(kind, ()))


def _attribute_value(attribute: AttributeProto, op: Op, result: str) -> Any:
    """An attribute as a number, a string or a tuple. Raises NotCovered for others."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    elif attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS):
        value = tuple(value)
    kind = next((attr.kind for attr in op.attrs if attr.name == attribute.name), "")
    if not _suits(value, kind):
        raise NotCovered(f"the attribute {attribute.name}")
    return dtype_of(value, result) if kind == "dtype" else value


def _outputs(op: Op, proto: NodeProto) -> tuple[str, ...]:
    """The results that the table's operator has. Raises NotCovered where the node has more."""
    if "results" in op.variadic:
        return tuple(proto.output)
    if any(proto.output[len(op.results) :]):
        raise NotCovered("more results than the entry has")
    return (*proto.output[: len(op.results)], *[""] * (len(op.results) - len(proto.output)))


def _by_place(attrs: Sequence[Attr]) -> list[tuple[int, Attr]]:
    placed = [(attr.place, attr) for attr in attrs if attr.place is not None]
    return sorted(placed, key=lambda pair: pair[0], reverse=True)


def _without_trailing(names: Sequence[str]) -> tuple[str, ...]:
    kept = list(names)
    while kept and not kept[-1]:
        kept.pop()
    return tuple(kept)
