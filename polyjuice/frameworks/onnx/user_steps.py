"""Split ONNX models into nodes, initializers, and the values between them by ONNX's reference evaluator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import onnx
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from polyjuice.execution import Artifact
from polyjuice.frameworks import symbolic
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx import subgraphs
from polyjuice.frameworks.onnx.user_program import artifact_of
from polyjuice.frameworks.steps import NotTakenApart, ProgramStep, Written

_DECLARED_INPUTS = 4
"""The first IR version in which initializers need no declaration among the inputs."""


@dataclass(frozen=True)
class _Onnx:
    """The writer of ONNX models (see `Language`)."""

    def renamed(self, step: ProgramStep, names: Mapping[str, str]) -> ProgramStep:
        """Return the node with other operands. Raises FormatError if a subgraph reads one of them."""
        node = NodeProto()
        node.CopyFrom(step.code)
        node.input[:] = [names.get(name, name) for name in node.input]
        captured = set(step.reads) - set(step.code.input)
        if not captured.isdisjoint(names) and any(names.get(name, name) != name for name in captured):
            raise FormatError(f"a subgraph of the node {node.name!r} reads a value that is to be renamed")
        return replace(step, code=node, reads=tuple(names.get(name, name) for name in step.reads))

    def held(self, name: str) -> str:
        """Return the name itself: an initializer may have any name."""
        return name

    def artifact(self, written: Written) -> Artifact:
        """Return the model. Raises FormatError if ONNX's checker rejects it."""
        model = ModelProto()
        model.CopyFrom(written.frame)
        _fill(model, written)
        try:
            onnx.checker.check_model(model)
        except (onnx.checker.ValidationError, ValueError) as error:
            raise FormatError(str(error)) from None
        return artifact_of(model, symbolic.sizes_of(model, [written.inputs[i.name] for i in symbolic.inputs(model)]))


def taken_apart(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Written:
    """Return a model split into its nodes, to be run on these inputs. Raises NotTakenApart."""
    assert isinstance(artifact.source, bytes)
    model = ModelProto.FromString(artifact.source)
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
    names = [value.name for value in graph.input if value.name not in constants]
    if len(names) != len(inputs):
        raise NotTakenApart(f"it has {len(names)} inputs, and {len(inputs)} arrays are given")
    arrays = dict(zip(names, inputs, strict=True))
    return Written(
        language=_Onnx(),
        frame=model,
        inputs=arrays,
        held=dict.fromkeys(sorted(constants)),
        steps=tuple(_step(number, node) for number, node in enumerate(graph.node)),
        outputs=tuple(value.name for value in graph.output),
        values=_values(model, arrays),
    )


def _step(number: int, node: NodeProto) -> ProgramStep:
    captured = subgraphs.close(node)[1]
    reads = dict.fromkeys(name for name in (*node.input, *captured) if name)
    return ProgramStep(number=number, code=node, reads=tuple(reads), makes=tuple(name for name in node.output if name))


def _fill(model: ModelProto, written: Written) -> None:
    """Reduce the user's model to the remaining steps, inputs, constants and outputs."""
    graph = model.graph
    declared = {value.name: value for value in (*graph.input, *graph.output)}
    older = model.ir_version < _DECLARED_INPUTS
    made = {name for step in written.steps for name in step.makes}
    values = {**written.values, **written.inputs}
    new = {name: numpy_helper.from_array(array, name) for name, array in written.held.items() if array is not None}
    inputs = [_declaration(name, array, declared) for name, array in written.inputs.items()]
    inputs += [value for value in graph.input if value.name in written.held]
    inputs += [_declaration(name, values[name], {}) for name in new if older]
    outputs = [_declaration(name, values.get(name), declared) for name in written.outputs]
    stated = {value.name for value in (*inputs, *outputs)}
    _set(graph.input, inputs)
    _set(graph.output, outputs)
    _set(graph.node, [step.code for step in written.steps])
    kept = [tensor for tensor in graph.initializer if tensor.name in written.held and tensor.name not in new]
    _set(graph.initializer, [*kept, *new.values()])
    _set(graph.sparse_initializer, [t for t in graph.sparse_initializer if t.values.name in written.held])
    _set(graph.value_info, [value for value in graph.value_info if value.name in made - stated])
    there = {*made, *written.inputs, *written.held}
    _set(graph.quantization_annotation, [q for q in graph.quantization_annotation if q.tensor_name in there])
    _set(model.functions, _called(model.functions, graph))


def _set(field, messages) -> None:  # type: ignore[no-untyped-def]
    """Replace a repeated field of protobuf by copies of these messages, which may be among its own."""
    copies = []
    for message in messages:
        copies.append(type(message)())
        copies[-1].CopyFrom(message)
    del field[:]
    field.extend(copies)


def _declaration(name: str, array: np.ndarray | None, declared: Mapping[str, ValueInfoProto]) -> ValueInfoProto:
    """Return the user's declaration of an input or output, else one from its value. Raises FormatError with neither."""
    if name in declared:
        return declared[name]
    if array is None:
        raise FormatError(f"the type of {name} is not known")
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def _called(functions: Sequence[FunctionProto], graph: GraphProto) -> list[FunctionProto]:
    """Return the functions that a graph calls, directly or through others."""
    calls = {_called_by(inner) for node in graph.node for inner in subgraphs.nested_nodes(node)}
    while True:
        kept = [f for f in functions if (f.domain, f.name) in calls]
        further = {_called_by(inner) for f in kept for node in f.node for inner in subgraphs.nested_nodes(node)}
        if further <= calls:
            return kept
        calls |= further


def _called_by(node: NodeProto) -> tuple[str, str]:
    return node.domain, node.op_type


# --- values -----------------------------------------------------------------------------------------------------------


def _values(model: ModelProto, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return every tensor of a model by its name. Nodes run one by one, so that one failing node does little harm.

    Ones replace the results of a failing node, if their types are known.
    """
    known = dict(inputs)
    for tensor in model.graph.initializer:
        known[tensor.name] = _array(tensor)
    types = _inferred(model)
    around = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions)
    for node in model.graph.node:
        results = _results(around, node, known) or {name: _ones(types.get(name)) for name in node.output if name}
        known.update((name, array) for name, array in results.items() if isinstance(array, np.ndarray))
    return known


def _array(tensor: TensorProto) -> np.ndarray:
    return np.asarray(numpy_helper.to_array(tensor))


def _inferred(model: ModelProto) -> dict[str, ValueInfoProto]:
    """Return the declarations of values, as far as shape inference knows them."""
    try:
        graph = onnx.shape_inference.infer_shapes(model).graph
    except (onnx.shape_inference.InferenceError, ValueError):
        graph = model.graph
    return {value.name: value for value in (*graph.value_info, *graph.output)}


def _ones(value: ValueInfoProto | None) -> np.ndarray | None:
    """Return ones of a declared type; None if the type is not static."""
    if value is None or not value.type.tensor_type.HasField("shape"):
        return None
    dims = value.type.tensor_type.shape.dim
    if not all(dim.HasField("dim_value") for dim in dims):
        return None
    dtype = helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    return np.ones([dim.dim_value for dim in dims], dtype)


def _results(
    around: ModelProto, node: NodeProto, known: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray | object] | None:
    """Return a node's results on known values, in a model without other nodes.

    None if an operand is unknown, or ONNX's reference evaluator cannot run the node.
    """
    reads = list(_operands(node))
    if any(name not in known for name in reads):
        return None
    alone = ModelProto()
    alone.CopyFrom(around)
    try:
        made = [name for name in node.output if name]
        alone.graph.CopyFrom(
            helper.make_graph(
                [node],
                "step",
                [_declaration(name, known[name], {}) for name in reads],
                [ValueInfoProto(name=name) for name in made],
            )
        )
        return dict(zip(made, ReferenceEvaluator(alone).run(None, {n: known[n] for n in reads}), strict=True))
    except Exception:  # noqa: BLE001 - its operators raise anything where they lack something
        return None


def _operands(node: NodeProto) -> Iterator[str]:
    yield from dict.fromkeys(filter(None, node.input))
    yield from (name for name in subgraphs.close(node)[1] if name not in node.input)
