"""Torch modules as Graphs: ``torch.export`` traces them and decomposes them to ATen's core operators.

- Parameters, buffers and other constants of the program become constants. Torch evaluates here all that depends only on
  buffers and constants (positions, masks, tables). Values that depend on parameters stay in the Graph.
- An operator that the table has, under ONNX's name or ATen's, becomes a table node
  (:mod:`polyjuice.frameworks.torch.aten`). Any other is an opaque node of the domain ``aten``
  (:mod:`polyjuice.frameworks.aten_calls`), which the Torch lowering calls again.
- The first outputs are the tensors that the model returns. The final values of updated inputs follow (the graph's
  ``updates``), then those of updated buffers and parameters, by name.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, TensorArgument
from torch.fx import Node as FxNode

from polyjuice.frameworks import aten_calls
from polyjuice.frameworks.errors import FormatError, refused
from polyjuice.frameworks.torch import archive as torch_archive
from polyjuice.frameworks.torch import aten
from polyjuice.frameworks.torch.aten import AtenCall, ValueName
from polyjuice.frameworks.torch.user_printer import array_of
from polyjuice.ir import UNKNOWN, Graph, GraphError, Node, TensorType, dtypes, prune
from polyjuice.ops import GraphBuilder, ShapeMismatch, TypeMismatch, check, primitives
from polyjuice.ops.normal import NotCovered

_HELD = tuple(
    getattr(OutputKind, name) for name in ("BUFFER_MUTATION", "PARAMETER_MUTATION") if hasattr(OutputKind, name)
)
"""The kinds of outputs that are final values of buffers and parameters."""

Inputs = tuple[tuple[Any, ...], dict[str, Any]]
"""The positional arguments of a module, and the named ones."""

_NO_DATA = ("device", "layout", "pin_memory", "memory_format", "non_blocking", "cudnn_enabled")
"""Arguments about where a result is computed and lies in memory, which do not change its value."""


_SAFE = "2.6"
"""The first release of Torch whose ``weights_only=True`` runs no code of a file (CVE-2025-32434)."""


def load(path: str | Path) -> ExportedProgram:
    """A program that ``torch.export.save`` wrote. Raises FormatError, also where it names code to run."""
    if torch.__version__ < _SAFE:
        raise FormatError(
            f"{path}: Torch {torch.__version__} may run code of an exported program when it loads it; "
            f"install Torch {_SAFE} or later, or export the model to ONNX"
        )
    data, pickles = torch_archive.checked(path)
    for name, content in pickles.items():
        with refused(f"{path}: {name} holds more than tensors, so it is not loaded"):
            # Torch would load anything else in a second attempt.
            torch.load(io.BytesIO(content), weights_only=True) if content else None
    with refused(f"{path}: not an exported Torch program"):
        return torch.export.load(io.BytesIO(data))


def from_module(
    model: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, where: str = "model"
) -> Graph:
    """The Graph of a module on inputs of these types; ``where`` begins the messages. Raises FormatError."""
    with refused(f"{where}: torch.export cannot trace the model"), torch.no_grad():
        program = torch.export.export(model, args, dict(kwargs or {}))
    return from_program(program, where)


def from_program(program: ExportedProgram, where: str = "program", inputs: Inputs | None = None) -> Graph:
    """The Graph of an exported program, with the sizes of ``inputs`` or of its example inputs for symbolic ones.

    Raises FormatError.
    """
    if program.range_constraints:
        program = _with_static_sizes(program, where, inputs or program.example_inputs)
    rules = _decompositions()
    kept = {op for op in rules if aten.named_alike(_overload(op))}
    while True:
        table = {op: rules[op] for op in rules if op not in kept}
        with refused(f"{where}: torch.export cannot decompose the model"), torch.no_grad():
            core = program.run_decompositions(table)
        try:
            reader = _Reader(core)
            graph = reader.read()
        except (FormatError, GraphError) as error:
            raise FormatError(f"{where}: {error}") from None
        uncovered = reader.opaque & kept
        if not uncovered:
            return graph
        kept -= uncovered


@cache
def _decompositions() -> Mapping[Any, Any]:
    """Torch's own decompositions, cached, because Torch takes a moment to collect them."""
    return dict(torch.export.default_decompositions())


def _with_static_sizes(program: ExportedProgram, where: str, inputs: Inputs | None) -> ExportedProgram:
    if inputs is None:
        raise FormatError(f"{where}: the program has symbolic sizes and no example inputs; export it with static sizes")
    args, kwargs = inputs
    with refused(f"{where}: the program cannot be traced with the sizes of its inputs"), torch.no_grad():
        return torch.export.export(program.module(), args, kwargs)


class _Reader:
    """The state of one reading: each FX node is a known tensor, a value of the Graph, or a list of these."""

    def __init__(self, program: ExportedProgram) -> None:
        self.program = program
        self.builder = GraphBuilder()
        self.known: dict[FxNode, Any] = {}
        self.values: dict[FxNode, Any] = {}
        #: The arrays of constants, without parameters, by name.
        self.arrays: dict[str, np.ndarray] = {}
        #: The calls on which an output depends: not those that only check sizes.
        self.needed = _needed(program)
        #: The overloads that no operator of the table expresses.
        self.opaque: set[Any] = set()

    def read(self) -> Graph:
        inputs = {spec.arg.name: spec for spec in self.program.graph_signature.input_specs}
        outputs: tuple[str, ...] = ()
        updates: dict[str, int] = {}
        for node in self.program.graph.nodes:
            match node.op:
                case "placeholder":
                    self.placeholder(node, inputs[node.name])
                case "call_function":
                    self.call(node)
                case "output":
                    outputs, updates = self.outputs(node)
                case _:
                    raise FormatError(f"node {node.name}: {node.op} {node.target} is not supported")
        if not outputs:
            raise FormatError("the model returns no tensor, and writes into none")
        return check(prune(replace(self.builder.build(outputs), updates=updates)))

    def placeholder(self, node: FxNode, spec: Any) -> None:
        program = self.program
        match spec.kind:
            case _ if isinstance(spec.arg, ConstantArgument):
                self.known[node] = spec.arg.value
            case InputKind.USER_INPUT if isinstance(spec.arg, TensorArgument):
                self.values[node] = self.builder.input(_type(node.meta["val"], node), node.name)
            case InputKind.PARAMETER:
                self.values[node] = self.builder.constant(_array(program.state_dict[spec.target], node), node.name)
            case InputKind.BUFFER | InputKind.CONSTANT_TENSOR:
                stored = program.state_dict if spec.target in program.state_dict else program.constants
                self.known[node] = stored[spec.target].detach().cpu()
            case _:
                raise FormatError(f"the input {node.name} is a {type(spec.arg).__name__}, which is not supported")

    def outputs(self, node: FxNode) -> tuple[tuple[str, ...], dict[str, int]]:
        values: Any = node.args[0]
        specs = zip(self.program.graph_signature.output_specs, values, strict=True)
        found = [(spec, value) for spec, value in specs if isinstance(value, FxNode)]
        returned = [value for spec, value in found if spec.kind == OutputKind.USER_OUTPUT]
        written = {spec.target: value for spec, value in found if spec.kind == OutputKind.USER_INPUT_MUTATION}
        held = {spec.target: value for spec, value in found if spec.kind in _HELD}
        names = [spec.arg.name for spec in self.program.graph_signature.input_specs if spec.arg.name in written]
        updates = {name: len(returned) + place for place, name in enumerate(names)}
        values = [*returned, *(written[name] for name in names), *(held[name] for name in sorted(held))]
        return tuple(map(self.value, values)), updates

    def call(self, node: FxNode) -> None:
        """Add the results of a call, or run it if all its operands are known. Raises FormatError."""
        target: Any = node.target
        if node not in self.needed:
            return
        if target.__name__ == "getitem":
            source, index = node.args
            assert isinstance(source, FxNode)
            store = self.known if source in self.known else self.values
            store[node] = store[source][index]
            return
        if not isinstance(target, torch._ops.OpOverload):
            raise FormatError(f"node {node.name}: {target} is no operator of ATen's and not supported")
        if not _is_random(target) and all(operand in self.known for operand in node.all_input_nodes):
            args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: self.known[n])
            kwargs = {key: "cpu" if key == "device" and value else value for key, value in kwargs.items()}
            with refused(f"node {node.name}"), torch.no_grad():
                self.known[node] = target(*args, **kwargs)
            return
        self.apply(node, target)

    def value(self, node: FxNode) -> ValueName:
        if node not in self.values:
            self.arrays[node.name] = _array(self.known[node], node)
            self.values[node] = self.builder.constant(self.arrays[node.name], node.name)
        return ValueName(self.values[node])

    def apply(self, node: FxNode, target: Any) -> None:
        if target._schema.name.removesuffix("_copy") == "aten::as_strided":
            self.values[node] = self.strided(node, *self.arguments(node, target).values())
            return
        raw = node.meta["val"]
        many = not isinstance(raw, torch.Tensor)
        results = [_type(t, node) if isinstance(t, torch.Tensor) else None for t in (raw if many else [raw])]
        used: set[Any] = {u.args[1] for u in node.users if getattr(u.target, "__name__", "") == "getitem"}
        application = AtenCall(
            builder=self.builder,
            args=self.arguments(node, target),
            defaults={a.name: a.default_value for a in target._schema.arguments},
            results=results,
            used=frozenset(used if many else {0}),
            arrays=self.arrays,
        )
        names: Sequence[str | None]
        try:
            if _namespace(target) != "aten":
                raise NotCovered("another library's")
            names = aten.apply(_overload(target), application)
        except NotCovered:
            self.opaque.add(target)
            names = self.opaque_node(node, target, results, many)
        self.values[node] = list(names) if many else names[0]

    def strided(
        self, node: FxNode, self_: ValueName, size: Sequence[int], stride: Sequence[int], offset: int | None
    ) -> ValueName:
        """Add as_strided, which reads the memory of its operand. Raises FormatError if that is more than its elements.

        The table's operator reads a contiguous tensor. So the operand's axes are first put into the order of memory.
        """
        operand = node.all_input_nodes[0]
        held = operand.meta["val"]
        order = sorted(range(held.ndim), key=lambda axis: -held.stride(axis))
        place = 0 if offset is None else offset - held.storage_offset()
        if not held.permute(order).is_contiguous() or place < 0:
            raise FormatError(f"node {node.name}: as_strided of a tensor that is a part of another in memory")
        if order != list(range(held.ndim)):
            self_ = ValueName(self.builder.op(primitives.TRANSPOSE, self_, perm=tuple(order)))
        sizes, steps = tuple(size), tuple(stride)
        try:
            name = self.builder.op(
                primitives.AS_STRIDED, self_, domain=aten.DOMAIN, size=sizes, stride=steps, storage_offset=place
            )
            return ValueName(name)
        except (ShapeMismatch, TypeMismatch) as error:
            raise FormatError(f"node {node.name}: {error}") from None

    def arguments(self, node: FxNode, target: Any) -> dict[str, Any]:
        """The arguments by name with defaults, without those that do not change the result's value."""
        arguments = dict(zip((a.name for a in target._schema.arguments), node.args, strict=False)) | dict(node.kwargs)
        full = {
            a.name: arguments.get(a.name, a.default_value) for a in target._schema.arguments if a.name not in _NO_DATA
        }
        return {name: self.argument(value) for name, value in full.items()}

    def argument(self, value: Any) -> Any:
        """An argument in the form that rules expect: names of values, Python numbers and lists."""
        if isinstance(value, FxNode):
            known = self.known.get(value)
            return self.value(value) if value in self.values or isinstance(known, torch.Tensor) else known
        if isinstance(value, (list, tuple)):
            return [self.argument(item) for item in value]
        return str(value).removeprefix("torch.") if isinstance(value, torch.dtype) else value

    def opaque_node(
        self, node: FxNode, target: Any, results: Sequence[TensorType | None], many: bool
    ) -> Sequence[str | None]:
        """Add an opaque node for a call. Returns the names of its results, None for those that are no tensors."""
        operands: list[str] = []

        def encoded(value: Any) -> Any:
            if isinstance(value, FxNode) and isinstance(known := self.argument(value), ValueName):
                operands.append(known)
                return {"operand": len(operands) - 1}
            if isinstance(value, (list, tuple)):
                return [encoded(item) for item in value]
            return _literal(self.argument(value), node)

        args = [encoded(value) for value in node.args]
        kwargs = {name: encoded(v) for name, v in node.kwargs.items() if name not in ("device", "layout", "pin_memory")}
        namespace, name = _namespace(target), target._schema.name.split("::")[1]
        call = aten_calls.OpaqueCall(
            namespace=namespace,
            name=name,
            overload=_overload(target).split(".")[1],
            args=args,
            kwargs=kwargs,
            many=many,
        )
        outputs = [f"{node.name}_{k}" if many else node.name for k in range(len(results))]
        outputs = [text if type else "" for text, type in zip(outputs, results, strict=True)]
        self.builder.append(
            Node(
                name,
                tuple(operands),
                tuple(outputs),
                aten_calls.to_attrs(call),
                aten_calls.domain_of(namespace),
                True,
                node.name if _is_random(target) else "",
            ),
            [type or TensorType("bool", ()) for type in results],
        )
        return [ValueName(text) if text else None for text in outputs]


def _needed(program: ExportedProgram) -> set[FxNode]:
    needed: set[FxNode] = set()
    for node in reversed(program.graph.nodes):
        if node.op == "output" or node in needed:
            needed.update(node.all_input_nodes)
    return needed


def _literal(value: Any, node: FxNode) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, (torch.dtype, torch.memory_format)):
        return {"torch": str(value).removeprefix("torch.")}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise FormatError(f"node {node.name}: the argument {value!r} of {node.target} is not supported")


def _namespace(target: Any) -> str:
    return str(target.namespace)


def _overload(target: Any) -> str:
    """The name of an overload without its namespace: ``add.Tensor``."""
    return str(target).partition(".")[2] if isinstance(target, torch._ops.OpOverload) else ""


def _is_random(target: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in target.tags


def _type(value: Any, node: FxNode) -> TensorType:
    if not isinstance(value, torch.Tensor):
        raise FormatError(f"node {node.name}: a {type(value).__name__} is no tensor and not supported")
    dtype = str(value.dtype).removeprefix("torch.")
    if dtype not in dtypes.ALL:
        raise FormatError(f"node {node.name}: the element type {dtype} is not supported")
    return TensorType(dtype, tuple(size if isinstance(size, int) else UNKNOWN for size in value.shape))


def _array(tensor: Any, node: FxNode) -> np.ndarray:
    _type(tensor, node)
    return array_of(tensor)
