"""Convert any ModelProto to a form that the reader knows: no local functions, default opset 18 or later.

``onnx.version_converter`` converts older models. Newer ones keep their version, because ONNX has almost no downward
conversions. Operators of the table mean the same there: later versions only add element types and attributes. All other
operators stay opaque at their own version.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from onnx import ModelProto, defs, helper

from polyjuice.frameworks import library
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.onnx.subgraphs import nested_nodes
from polyjuice.ops import TABLE

OPSET = 18
"""The version of ONNX's operators in stored graphs."""

IR_VERSION = 9
"""The version of the file format, which runtimes of the time of opsets 18 and 19 load."""


_SCAN_OPSET = 9
"""The first opset whose Scan has no batches."""

ONE_AXIS_OPSET = 13
"""The opset from which on Softmax and its like normalize over one axis; before, over all axes from it on together."""


def is_default(domain: str) -> bool:
    """Whether this is ONNX's own domain (which has two names)."""
    return domain in ("", "ai.onnx")


def default_version(model: ModelProto) -> int:
    """The version of ONNX's own operators that a model imports (OPSET where it imports none)."""
    return next((o.version for o in model.opset_import if is_default(o.domain)), OPSET)


@cache
def schema_of(op: str, version: int, domain: str = "") -> defs.OpSchema | None:
    """ONNX's schema of an operator; None where ONNX does not know it at the version."""
    try:
        return defs.get_schema(op, version, domain)
    except defs.SchemaError:
        return None


def since_version(op: str, version: int) -> int:
    """The version in which the operator got its meaning at ``version``; 0 where ONNX does not know it."""
    schema = schema_of(op, version)
    return schema.since_version if schema else 0


_BODIES = {"SoftmaxCrossEntropyLoss": {"bfloat16": 22}}
"""The first versions at which an operator's function body takes a type of the first operand that its schema has had
before."""


@cache
def taking_version(op: str, operands: tuple[str | None, ...], results: tuple[str | None, ...], version: int) -> int:
    """The first version of ONNX's operators, from ``version`` on, at which the operator has these element types.

    It is ``version`` where no known version does.
    """
    return next((v for v in range(version, defs.onnx_opset_version() + 1) if takes(op, operands, results, v)), version)


@cache
def takes(op: str, operands: tuple[str | None, ...], results: tuple[str | None, ...], version: int) -> bool:
    """Whether an operator of ONNX has these element types (None: unknown) for operands and results at a version."""
    schema = schema_of(op, version)
    if schema is None:  # the operator is newer, or not ONNX's
        return False
    if any(version < first for dtype, first in _BODIES.get(op, {}).items() if dtype in operands[:1]):
        return False
    formals = ((operands, schema.inputs), (results, schema.outputs))
    pairs = [
        (dtype, formal)
        for types, declared in formals
        for dtype, formal in zip(types, [*declared, *_repeated(declared) * len(types)], strict=False)
        if dtype
    ]
    bound: dict[str, str] = {}
    return all(
        element_text(dtype) in formal.types
        and (not formal.is_homogeneous or bound.setdefault(formal.type_str, dtype) == dtype)
        for dtype, formal in pairs
    )


def _repeated(formals: Sequence[defs.OpSchema.FormalParameter]) -> list[defs.OpSchema.FormalParameter]:
    variadic = defs.OpSchema.FormalParameterOption.Variadic
    return [formal for formal in formals[-1:] if formal.option == variadic]


def element_text(dtype: str) -> str:
    return f"tensor({_NAMES.get(dtype, dtype)})"


_NAMES = {"float32": "float", "float64": "double"}


def prepare(model: ModelProto) -> ModelProto:
    """An equal model without local functions, at opset 18 or later. Raises FormatError."""
    if model.graph.sparse_initializer:
        name = model.graph.sparse_initializer[0].values.name
        raise FormatError(f"the initializer {name!r} is sparse; store it as a dense tensor")
    model = _without_functions(model)
    version = default_version(model)
    if version < _SCAN_OPSET and any(node.op_type == "Scan" for node in model.graph.node):
        raise FormatError(f"a Scan of opset {version} has batches, which the version converter drops")
    if version < OPSET and _changed_since(model, version):
        model = _with_declared_types(library.converted(_with_flat_hardmax(model, version), OPSET), model)
    return model


def _without_functions(model: ModelProto) -> ModelProto:
    """The model with its local functions inlined, except for those that are operators of the table."""
    if not model.functions:
        return model
    foreign = [function for function in model.functions if (function.domain, function.name) not in TABLE]
    kept = ModelProto()
    kept.CopyFrom(model)
    del kept.functions[:]
    kept.functions.extend(foreign)
    return library.inlined(kept) if foreign else kept


def _with_flat_hardmax(model: ModelProto, version: int) -> ModelProto:
    """Before opset 13, Hardmax goes over its axis and all behind it; ``onnx.version_converter`` leaves it as it is."""
    if version >= ONE_AXIS_OPSET or not any(node.op_type == "Hardmax" for node in model.graph.node):
        return model
    changed = ModelProto()
    changed.CopyFrom(model)
    del changed.graph.node[:]
    for node in model.graph.node:
        if node.op_type != "Hardmax" or not is_default(node.domain):
            changed.graph.node.append(node)
            continue
        axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 1)
        (x,), (y,) = node.input, node.output
        shape, matrix, result = (f"{y}:{part}" for part in ("shape", "matrix", "result"))
        changed.graph.node.extend(
            [
                helper.make_node("Shape", [x], [shape]),
                helper.make_node("Flatten", [x], [matrix], axis=axis),
                helper.make_node("Hardmax", [matrix], [result], axis=1),
                helper.make_node("Reshape", [result, shape], [y]),
            ]
        )
    return changed


def _changed_since(model: ModelProto, version: int) -> bool:
    """Whether some operator of the model has another meaning or form at OPSET than at ``version``."""
    nodes = (inner for node in model.graph.node for inner in nested_nodes(node))
    ops = {node.op_type for node in nodes if is_default(node.domain)}
    return any(since_version(op, version) != since_version(op, OPSET) for op in ops)


def _with_declared_types(converted: ModelProto, original: ModelProto) -> ModelProto:
    """The converter's model with the original's declarations, because the converter makes wrong ones."""
    kept = {name for node in converted.graph.node for name in node.output}
    del converted.graph.value_info[:]
    converted.graph.value_info.extend(info for info in original.graph.value_info if info.name in kept)
    return converted


def ir_version(opsets: dict[str, int]) -> int:
    """The least file format version, from IR_VERSION on, that goes with these operator versions."""
    known = [helper.make_opsetid(domain, version) for domain, version in opsets.items() if is_default(domain)]
    return max(IR_VERSION, int(helper.find_min_ir_version_for(known)))
