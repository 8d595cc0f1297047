"""Check a model before any library works on it: names, nesting, functions, counts, and each node's form.

The reader, and ONNX's C++ code behind it, may then rely on these. ONNX's own checker runs in C++ and has no limits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import onnx
from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    TensorProto,
    ValueInfoProto,
    defs,
)

from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import BYTES, DEPTH, TEXT, TooLarge, read_limits
from polyjuice.frameworks.onnx.subgraphs import graphs_of
from polyjuice.frameworks.onnx.versions import schema_of
from polyjuice.ops import TABLE
from polyjuice.wording import visible

_SHOWN = 60
"""The most characters of a name in a message."""

_NAMES = 20
"""A model may have this many names of values, operands and attributes for each of its nodes."""

_FIELDS = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.SPARSE_TENSOR: "sparse_tensor",
    AttributeProto.TYPE_PROTO: "tp",
}
"""The fields of attributes with one value. The others are lists, which may be empty."""

_EQUATION = re.compile(rb"(?:[A-Za-z, ]|\.\.\.|->)*")
"""The form of an Einsum's equation. ONNX's shape inference loops for ever on other characters."""

_NEWEST = dict(zip(("", "ai.onnx.ml", "ai.onnx.training"), onnx.helper.VERSION_TABLE[-1][2:], strict=False))
"""The newest opset of each domain that the installed onnx knows."""

FunctionKey = tuple[str, str, str]

_WHOLE: FunctionKey = ("", "", "")
"""The key of the whole model among its functions, all of which have a name."""


def label(node: NodeProto, index: int) -> str:
    """A node in messages: its number, its operator, and its name or first result."""
    result = next(iter(node.output), "")
    return f"{index} ({shown(node.op_type)} {shown(node.name) if node.name else repr(shown(result))})"


def shown(name: str) -> str:
    """A name without control characters, at most as long as a message can take."""
    text = name if isinstance(name, str) else repr(name)
    text = visible(text, kept="")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def check_structure(model: ModelProto) -> None:
    """Raise FormatError, with the node and the reason, where a model is malformed or exceeds the limits."""
    if not model.HasField("graph") or not model.ir_version:
        raise FormatError("not an ONNX model (it has no graph or no IR version)")
    if not model.graph.output:
        raise FormatError("the model has no output, so there is nothing to compare; name its results as outputs")
    if model.ByteSize() > BYTES:
        raise TooLarge(f"the model has more than {BYTES:,} bytes, which is the most that Polyjuice reads")
    opsets = _opsets(model.opset_import)
    functions = _functions(model.functions)
    check = _Check(opsets, frozenset(functions), ())
    check.graph(model.graph, 0)
    costs: dict[FunctionKey, int] = {_WHOLE: check.cost}
    calls = {_WHOLE: check.calls}
    for key, function in functions.items():
        inner = _Check({**opsets, **_opsets(function.opset_import)}, frozenset(functions), function.attribute)
        try:
            inner.function(function)
        except FormatError as error:
            raise type(error)(f"the function {shown(function.name)}: {error}") from None
        costs[key], calls[key] = inner.cost, inner.calls
    total = _inlined(costs, calls)
    _check_nodes(total)


def _check_nodes(nodes: int) -> None:
    most = read_limits().nodes
    if nodes > most:
        raise TooLarge(
            f"the model has {nodes:,} nodes or more, with those of its functions, and the limit is {most:,}; "
            "make it smaller, or raise --max-nodes"
        )


def tensors_of(model: ModelProto) -> Iterator[TensorProto]:
    """Every dense tensor of a model, at any depth."""
    nodes: list[NodeProto] = [node for function in model.functions for node in function.node]
    graphs = [model.graph]
    while graphs or nodes:
        while graphs:
            graph = graphs.pop()
            yield from graph.initializer
            nodes.extend(graph.node)
        for attribute in (attribute for node in nodes for attribute in node.attribute):
            yield from [attribute.t] if attribute.HasField("t") else ()
            yield from attribute.tensors
            graphs.extend(graphs_of(attribute))
        nodes = []


class _Check:
    """The check of one graph or function with all its subgraphs. It counts nodes and calls of functions."""

    def __init__(
        self,
        opsets: dict[str, int],
        functions: frozenset[FunctionKey],
        references: Iterable[str],
    ) -> None:
        self.opsets = opsets
        self.functions = functions
        self.references = frozenset(references)
        self.cost = 0
        self.values = 0
        self.calls: Counter[FunctionKey] = Counter()

    def graph(self, graph: GraphProto, depth: int) -> None:
        if depth > DEPTH:
            raise TooLarge(f"subgraphs are nested more than {DEPTH} deep")
        _check_name(graph.name, "the graph")
        self.count_values(len(graph.initializer) + len(graph.input) + len(graph.output) + len(graph.value_info))
        for value in (*graph.input, *graph.output, *graph.value_info):
            _check_value(value)
        for tensor in graph.initializer:
            _check_tensor(tensor)
        _refuse_repeated((value.name for value in graph.input), "the graph input")
        _refuse_repeated((tensor.name for tensor in graph.initializer), "the initializer")
        for value in (*graph.input, *graph.output):
            if not value.name:
                raise FormatError("an input or output of a graph has no name")
        self.nodes(graph.node, depth)

    def function(self, function: FunctionProto) -> None:
        for name in (*function.input, *function.output, *function.attribute):
            _check_name(name, "a value")
        for value in function.value_info:
            _check_value(value)
        _refuse_repeated(function.input, "the input")
        self.nodes(function.node, 0)

    def nodes(self, nodes: Sequence[NodeProto], depth: int) -> None:
        self.cost += len(nodes)
        _check_nodes(self.cost)
        for index, node in enumerate(nodes):
            try:
                self.node(node, depth)
            except FormatError as error:
                inner = depth and str(error).startswith("node ")  # the innermost node and the outermost are enough
                raise type(error)(str(error) if inner else f"node {label(node, index)}: {error}") from None

    def node(self, node: NodeProto, depth: int) -> None:
        self.count_values(len(node.input) + len(node.output) + len(node.attribute))
        for name in (node.name, node.op_type, node.domain, node.overload, *node.input, *node.output):
            _check_name(name, "a value or the node")
        if not node.op_type:
            raise FormatError("it has no operator")
        _refuse_repeated((attribute.name for attribute in node.attribute), "the attribute")
        key = (_domain(node.domain), node.op_type, node.overload)
        if key in self.functions:
            self.calls[key] += 1
        elif schema := schema_of(node.op_type, self.opsets.get(_domain(node.domain), 0), _domain(node.domain)):
            _check_form(node, schema)
        for attribute in node.attribute:
            self.attribute(attribute)
            if key[:2] == ("", "Einsum") and not _EQUATION.fullmatch(attribute.s):
                raise FormatError(f"the {attribute.name} {shown(repr(attribute.s))} is no letters, commas, ... and ->")
            for graph in graphs_of(attribute):
                self.graph(graph, depth + 1)

    def count_values(self, count: int) -> None:
        self.values += count
        most = _NAMES * read_limits().nodes
        if self.values > most:
            raise TooLarge(f"the model has more than {most:,} names of values; raise --max-nodes")

    def attribute(self, attribute: AttributeProto) -> None:
        _check_name(attribute.name, "an attribute")
        if attribute.ref_attr_name:
            if attribute.ref_attr_name not in self.references:
                raise FormatError(f"the attribute {attribute.name} refers to none of a function's attributes")
            return
        held = _FIELDS.get(attribute.type)
        if attribute.type not in AttributeProto.AttributeType.values() or not attribute.type:
            raise FormatError(f"the attribute {attribute.name} has no type")
        if held and not attribute.HasField(held):
            raise FormatError(f"the attribute {attribute.name} has no value of its type")
        for tensor in [attribute.t] if held == "t" else attribute.tensors:
            _check_tensor(tensor)


def _check_form(node: NodeProto, schema: defs.OpSchema) -> None:
    """Raise FormatError where a node has the wrong number of operands or results, or wrong attributes."""
    for what, count, least, most in (
        ("inputs", len(node.input), schema.min_input, schema.max_input),
        ("outputs", len(node.output), schema.min_output, schema.max_output),
    ):
        if not least <= count <= most:
            raise FormatError(f"it has {count} {what}, and the operator takes {_range(least, most)}")
    single = defs.OpSchema.FormalParameterOption.Single
    for place, (name, formal) in enumerate(zip(node.input, schema.inputs, strict=False)):
        if not name and formal.option == single:
            raise FormatError(f"its input {place} is absent, and the operator needs it")
    given, declared = {attribute.name: attribute.type for attribute in node.attribute}, schema.attributes
    for name, type in given.items():
        if name not in declared:
            raise FormatError(f"the operator has no attribute {shown(name)!r}")
        if type != declared[name].type.value:  # type: ignore[attr-defined]
            raise FormatError(f"the attribute {name} has another type than the operator's")
    if missing := sorted(name for name, attribute in declared.items() if attribute.required and name not in given):
        raise FormatError(f"the attribute {missing[0]} is missing")


def _range(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return f"at least {least}" if most > 1 << 20 else f"{least} to {most}"


def _domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def _opsets(imports: Iterable[OperatorSetIdProto]) -> dict[str, int]:
    """The versions of domains. Raises FormatError for one that is no version, or is given twice."""
    found: dict[str, int] = {}
    for one in imports:
        _check_name(one.domain, "a domain")
        domain = _domain(one.domain)
        if one.version < 1 or one.version > 1 << 20:
            raise FormatError(f"the opset {one.version} of the domain {domain!r} is no version; export the model again")
        newest = _NEWEST.get(domain, one.version)
        if one.version > newest:
            raise FormatError(
                f"the opset {one.version} of the domain {domain!r} is newer than {newest}, the newest that onnx "
                f"{onnx.__version__} knows; export the model at an older opset, or install a newer onnx"
            )
        if found.setdefault(domain, one.version) != one.version:
            raise FormatError(f"the domain {domain!r} has two opsets")
    return found


def _functions(functions: Iterable[FunctionProto]) -> dict[FunctionKey, FunctionProto]:
    """The functions by domain, name and overload. Raises FormatError for names that occur twice or not at all."""
    found: dict[FunctionKey, FunctionProto] = {}
    for function in functions:
        for name in (function.name, function.domain, function.overload):
            _check_name(name, "a function")
        key = (_domain(function.domain), function.name, function.overload)
        if key in found or not function.name:
            raise FormatError(f"the function {function.name!r} is defined twice, or has no name")
        found[key] = function
    return found


def _inlined(costs: dict[FunctionKey, int], calls: dict[FunctionKey, Counter[FunctionKey]]) -> int:
    """The nodes once all but operators of the table is inlined. Raises FormatError where functions call themselves."""
    totals: dict[FunctionKey, int] = {}

    def total(key: FunctionKey, above: tuple[FunctionKey, ...]) -> int:
        if key in above:
            raise FormatError(f"the function {key[1]} calls itself")
        if len(above) > DEPTH:
            raise TooLarge(f"functions call one another in a chain of more than {DEPTH}")
        if key not in totals:
            inlined = [(called, count) for called, count in calls[key].items() if called[:2] not in TABLE]
            totals[key] = costs[key] + sum(count * total(called, (*above, key)) for called, count in inlined)
        return totals[key]

    for key in costs:  # also those that nothing calls, because the inliner may look at them
        total(key, ())
    return totals[_WHOLE]


def _check_value(value: ValueInfoProto) -> None:
    _check_name(value.name, "a value")
    for dim in value.type.tensor_type.shape.dim:
        _check_name(dim.dim_param, "a dimension")


def _check_tensor(tensor: TensorProto) -> None:
    _check_name(tensor.name, "a tensor")
    if any(size < 0 for size in tensor.dims):
        raise FormatError(f"the tensor {tensor.name!r} has a negative dimension")
    if tensor.data_location == TensorProto.EXTERNAL:
        raise FormatError(f"the data of the tensor {tensor.name!r} is in another file; load the model from its file")


def _check_name(name: str, what: str) -> None:
    """Raise FormatError for a name that is no text, or is too long."""
    if not isinstance(name, str):
        raise FormatError(f"the name {shown(name)} of {what} is no text in UTF-8; rename it")
    if len(name) > TEXT:
        raise TooLarge(
            f"the name {shown(name)!r} of {what} has {len(name):,} characters; at most {TEXT:,} are supported"
        )


def _refuse_repeated(names: Iterable[str], what: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise FormatError(f"{what} {shown(repeated[0])!r} is defined twice")
