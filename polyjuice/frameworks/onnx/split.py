"""Split ONNX models into nodes, initializers, and the values between them by ONNX's reference evaluator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import onnx
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from polyjuice.execution import Artifact
from polyjuice.frameworks import symbolic
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx import subgraphs
from polyjuice.frameworks.onnx.tensors import to_value_info
from polyjuice.frameworks.onnx.user_program import artifact_of
from polyjuice.frameworks.split import NO_TENSOR, NotSplit, SplitProgram, split_into
from polyjuice.ir import Graph, TensorType

_DECLARED_INPUTS = 4
"""The first IR version in which initializers need no declaration among the inputs."""


def split_program(artifact: Artifact, inputs: Sequence[np.ndarray]) -> SplitProgram:
    """Return a model split into its nodes, to be run on these inputs. Raises NotSplit."""
    assert isinstance(artifact.source, bytes)
    model = ModelProto.FromString(artifact.source)
    names = _input_names(model.graph)
    if len(names) != len(inputs):
        raise NotSplit(f"it has {len(names)} inputs, and {len(inputs)} arrays are given")
    arrays = dict(zip(names, inputs, strict=True))
    variables = _variables(model.graph)
    return split_into(
        [(_reads(node, variables), node.output) for node in model.graph.node],
        arrays,
        [value.name for value in model.graph.output],
        _values(model, arrays),
        partial(_written, model),
    )


def _constant_names(graph: GraphProto) -> set[str]:
    return {tensor.name for tensor in graph.initializer} | {t.values.name for t in graph.sparse_initializer}


def _input_names(graph: GraphProto) -> list[str]:
    constants = _constant_names(graph)
    return [value.name for value in graph.input if value.name not in constants]


def _variables(graph: GraphProto) -> set[str]:
    return {*_input_names(graph), *(name for node in graph.node for name in node.output if name)}


def _reads(node: NodeProto, variables: set[str]) -> list[str]:
    return [name for name in _operands(node) if name in variables]


def _written(whole: ModelProto, program: Graph, inputs: Sequence[np.ndarray]) -> Artifact:
    """Return the user's model with only the nodes, inputs, outputs and constants of a graph. Raises FormatError."""
    variables = _variables(whole.graph)
    nodes = [_with_operands(whole.graph.node[int(step.identity)], step.inputs, variables) for step in program.nodes]
    model = ModelProto()
    model.CopyFrom(whole)
    _fill(model, program, nodes, inputs)
    try:
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError) as error:
        raise FormatError(str(error)) from None
    arrays = dict(zip(program.inputs, inputs, strict=True))
    return artifact_of(model, symbolic.sizes_of(model, [arrays[value.name] for value in symbolic.inputs(model)]))


def _with_operands(node: NodeProto, operands: Sequence[str], variables: set[str]) -> NodeProto:
    names = dict(zip(_reads(node, variables), operands, strict=True))
    if all(old == new for old, new in names.items()):
        return node
    changed, captured = subgraphs.close(node)
    changed.input[:] = [names.get(name, name) for name in changed.input]
    subgraphs.reopen(changed, [names.get(name, name) for name in captured])
    return changed


def _fill(model: ModelProto, program: Graph, nodes: Sequence[NodeProto], inputs: Sequence[np.ndarray]) -> None:
    """Reduce the user's model to these nodes, and to what they need."""
    graph = model.graph
    declared = {value.name: value for value in (*graph.input, *graph.output)}
    user_constants = _constant_names(graph)
    needed = {name for node in nodes for name in _operands(node)}
    made = {name for node in nodes for name in node.output}
    new = [numpy_helper.from_array(array, name) for name, array in program.constants.items()]
    arrays = dict(zip(program.inputs, inputs, strict=True))
    stated = [declared.get(name) or _declaration(name, array) for name, array in arrays.items()]
    stated += [value for value in graph.input if value.name in user_constants & needed]
    if model.ir_version < _DECLARED_INPUTS:
        stated += [_declaration(name, array) for name, array in program.constants.items()]
    outputs = [declared.get(name) or _typed(name, program.types[name]) for name in program.outputs]
    hidden = made - {value.name for value in (*stated, *outputs)}
    _set(graph.input, stated)
    _set(graph.output, outputs)
    _set(graph.node, nodes)
    _set(graph.initializer, [*(tensor for tensor in graph.initializer if tensor.name in needed), *new])
    _set(graph.sparse_initializer, [t for t in graph.sparse_initializer if t.values.name in needed])
    _set(graph.value_info, [value for value in graph.value_info if value.name in hidden])
    there = {*made, *needed}
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


def _declaration(name: str, array: np.ndarray) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def _typed(name: str, t: TensorType) -> ValueInfoProto:
    if t == NO_TENSOR:
        raise FormatError(f"the type of {name} is not known")
    return to_value_info(name, t)


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
        known[tensor.name] = np.asarray(numpy_helper.to_array(tensor))
    types = _inferred(model)
    around = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, functions=model.functions)
    for node in model.graph.node:
        results = _results(around, node, known) or {name: _ones(types.get(name)) for name in node.output if name}
        known.update((name, array) for name, array in results.items() if isinstance(array, np.ndarray))
    return known


def _inferred(model: ModelProto) -> dict[str, ValueInfoProto]:
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
                [_declaration(name, known[name]) for name in reads],
                [ValueInfoProto(name=name) for name in made],
            )
        )
        return dict(zip(made, ReferenceEvaluator(alone).run(None, {n: known[n] for n in reads}), strict=True))
    except Exception:  # noqa: BLE001 - its operators raise anything where they lack something
        return None


def _operands(node: NodeProto) -> Iterator[str]:
    yield from dict.fromkeys(filter(None, node.input))
    yield from (name for name in subgraphs.close(node)[1] if name not in node.input)
