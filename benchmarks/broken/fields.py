"""Break single fields of an ONNX model: each function changes one thing in place.

A function raises :class:`~benchmarks.broken.model_parts.Inapplicable` where the model lacks what it would change.
``CLASSES`` names the functions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper

from benchmarks.broken.model_parts import (
    Inapplicable,
    all_graphs,
    all_names,
    all_nodes,
    all_tensors,
    all_values,
    one_of,
    some_attribute,
    some_node,
)
from benchmarks.broken.wrong_values import (
    ATTRIBUTES,
    DEPTHS,
    DOMAINS,
    ELEMENT_TYPES,
    FLOATS,
    INTEGERS,
    NAMES,
    OPERATORS,
    VERSIONS,
)

Change = Callable[[random.Random, ModelProto], None]


# --- types and sizes -----------------------------------------------------------------------------------------------


def dimension(rng: random.Random, model: ModelProto) -> None:
    value = one_of(rng, [v for v in all_values(model) if len(v.type.tensor_type.shape.dim)])
    one_of(rng, value.type.tensor_type.shape.dim).dim_value = one_of(rng, INTEGERS)


def huge_dimensions(rng: random.Random, model: ModelProto) -> None:
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            dim.dim_value = one_of(rng, (2**20, 2**31, 2**60, 2**62, 2**63 - 1))


def named_dimension(rng: random.Random, model: ModelProto) -> None:
    value = one_of(rng, [v for v in all_values(model) if len(v.type.tensor_type.shape.dim)])
    one_of(rng, value.type.tensor_type.shape.dim).dim_param = one_of(rng, NAMES)


def rank(rng: random.Random, model: ModelProto) -> None:
    value = one_of(rng, all_values(model))
    shape = value.type.tensor_type.shape
    if rng.random() < 0.5 and len(shape.dim):
        del shape.dim[rng.randrange(len(shape.dim)) :]
    else:
        for _ in range(one_of(rng, (1, 2, 8, 70, 2000))):
            shape.dim.add(dim_value=one_of(rng, (0, 1, 2)))


def no_shape(rng: random.Random, model: ModelProto) -> None:
    one_of(rng, all_values(model)).type.tensor_type.ClearField("shape")


def no_type(rng: random.Random, model: ModelProto) -> None:
    one_of(rng, all_values(model)).ClearField("type")


def other_type(rng: random.Random, model: ModelProto) -> None:
    """A value that is a sequence, a map, an optional or a sparse tensor."""
    value = one_of(rng, all_values(model))
    element = TypeProto()
    element.CopyFrom(value.type)
    kind = one_of(rng, ("sequence_type", "optional_type", "sparse_tensor_type", "map_type"))
    value.type.Clear()
    if kind == "map_type":
        value.type.map_type.key_type = one_of(rng, ELEMENT_TYPES)
        value.type.map_type.value_type.CopyFrom(element)
    elif kind == "sparse_tensor_type":
        value.type.sparse_tensor_type.elem_type = 1
    else:
        getattr(value.type, kind).elem_type.CopyFrom(element)


def element_type(rng: random.Random, model: ModelProto) -> None:
    one_of(rng, all_values(model)).type.tensor_type.elem_type = one_of(rng, ELEMENT_TYPES)


# --- nodes -----------------------------------------------------------------------------------------------------------


def operator(rng: random.Random, model: ModelProto) -> None:
    some_node(rng, model).op_type = one_of(rng, OPERATORS)


def operator_name_of_another_kind(rng: random.Random, model: ModelProto) -> None:
    some_node(rng, model).op_type = one_of(rng, NAMES)


def domain(rng: random.Random, model: ModelProto) -> None:
    some_node(rng, model).domain = one_of(rng, DOMAINS)


def node_name(rng: random.Random, model: ModelProto) -> None:
    nodes = all_nodes(model)
    other = one_of(rng, nodes).name
    one_of(rng, nodes).name = one_of(
        rng, (*NAMES, other, "polyjuice:output:x", "polyjuice:unused:x", "polyjuice:opaque:")
    )


def operand(rng: random.Random, model: ModelProto) -> None:
    """A node reads another value: one that is missing, empty, or computed later or by the node itself."""
    node = one_of(rng, [n for n in all_nodes(model) if n.input])
    node.input[rng.randrange(len(node.input))] = one_of(rng, (*all_names(model), "", "missing"))


def fewer_operands(rng: random.Random, model: ModelProto) -> None:
    node = one_of(rng, [n for n in all_nodes(model) if n.input])
    del node.input[rng.randrange(len(node.input)) :]


def more_operands(rng: random.Random, model: ModelProto) -> None:
    node = some_node(rng, model)
    node.input.extend(one_of(rng, (*all_names(model), "")) for _ in range(one_of(rng, (1, 2, 5, 3000))))


def fewer_results(rng: random.Random, model: ModelProto) -> None:
    node = one_of(rng, [n for n in all_nodes(model) if n.output])
    del node.output[rng.randrange(len(node.output)) :]


def more_results(rng: random.Random, model: ModelProto) -> None:
    node = some_node(rng, model)
    node.output.extend(one_of(rng, ("", f"more{i}")) for i in range(one_of(rng, (1, 2, 5, 3000))))


def duplicated_name(rng: random.Random, model: ModelProto) -> None:
    """Two values of one name."""
    node = one_of(rng, [n for n in all_nodes(model) if n.output])
    node.output[rng.randrange(len(node.output))] = one_of(rng, (*all_names(model), ""))


def duplicated_part(rng: random.Random, model: ModelProto) -> None:
    graph = model.graph
    parts: Any = one_of(rng, [p for p in (graph.input, graph.output, graph.initializer, graph.node) if len(p)])
    copy = type(parts[0])()
    copy.CopyFrom(parts[rng.randrange(len(parts))])
    parts.append(copy)


def renamed_value(rng: random.Random, model: ModelProto) -> None:
    """A value has a hostile name, everywhere."""
    old, new = one_of(rng, all_names(model)), one_of(rng, NAMES)
    for graph in all_graphs(model.graph):
        for named in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            named.name = new if named.name == old else named.name
        for node in graph.node:
            node.input[:] = [new if name == old else name for name in node.input]
            node.output[:] = [new if name == old else name for name in node.output]


def cycle(rng: random.Random, model: ModelProto) -> None:
    """Two nodes read each other, or one reads itself."""
    node = one_of(rng, [n for n in model.graph.node if n.input and n.output])
    later = one_of(rng, [n for n in model.graph.node if n.output])
    node.input[rng.randrange(len(node.input))] = later.output[0]


def shuffled_nodes(rng: random.Random, model: ModelProto) -> None:
    nodes = [*model.graph.node]
    rng.shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def fewer_nodes(rng: random.Random, model: ModelProto) -> None:
    if not model.graph.node:
        raise Inapplicable
    del model.graph.node[rng.randrange(len(model.graph.node))]


def many_nodes(rng: random.Random, model: ModelProto) -> None:
    last = one_of(rng, all_names(model))
    count = one_of(rng, (100, 500, 30_000))
    model.graph.node.extend(
        NodeProto(op_type="Neg", input=[last if i == 0 else f"m{i - 1}"], output=[f"m{i}"]) for i in range(count)
    )
    if rng.random() < 0.5 and model.graph.output:
        model.graph.output[0].name = f"m{count - 1}"


def deep_nesting(rng: random.Random, model: ModelProto) -> None:
    """Conditions within conditions."""
    graph = helper.make_graph([], "innermost", [], [ValueInfoProto(name=one_of(rng, all_names(model)))])
    for level in range(one_of(rng, DEPTHS)):
        node = helper.make_node(
            "If", [one_of(rng, all_names(model))], [f"n{level}"], then_branch=graph, else_branch=GraphProto()
        )
        graph = helper.make_graph([node], f"level{level}", [], [ValueInfoProto(name=f"n{level}")])
    model.graph.node.extend(graph.node)


def deep_type(rng: random.Random, model: ModelProto) -> None:
    """A sequence of sequences of sequences."""
    value = one_of(rng, all_values(model))
    inner = TypeProto()
    inner.CopyFrom(value.type)
    for _ in range(one_of(rng, DEPTHS)):
        outer = TypeProto()
        outer.sequence_type.elem_type.CopyFrom(inner)
        inner = outer
    value.type.CopyFrom(inner)


def recursive_function(rng: random.Random, model: ModelProto) -> None:
    """A function that calls itself, or another that calls it back."""
    names = one_of(rng, (["f"], ["f", "g"], ["f", "g", "h"]))
    opset = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    for name, called in zip(names, [*names[1:], names[0]], strict=True):
        node = helper.make_node(called, ["a"], ["b"], domain="own")
        model.functions.append(helper.make_function("own", name, ["a"], ["b"], [node], opset))
    model.opset_import.append(helper.make_opsetid("own", 1))
    target = some_node(rng, model)
    target.op_type, target.domain = names[0], "own"


def growing_functions(rng: random.Random, model: ModelProto) -> None:
    """Functions that each call the next one twice: the inlined model has 2 to the power of their number nodes."""
    depth = one_of(rng, (8, 16, 24, 40))
    opset = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    for level in range(depth):
        call = ("Neg", "") if level == depth - 1 else (f"f{level + 1}", "own")
        nodes = [helper.make_node(call[0], [x], [y], domain=call[1]) for x, y in (("a", "m"), ("m", "b"))]
        model.functions.append(helper.make_function("own", f"f{level}", ["a"], ["b"], nodes, opset))
    model.opset_import.append(helper.make_opsetid("own", 1))
    target = one_of(rng, [n for n in model.graph.node if len(n.output) == 1 and n.input])
    first = target.input[0]
    target.Clear()
    target.op_type, target.domain = "f0", "own"
    target.input.append(first)
    target.output.append("made")


def broken_function(rng: random.Random, model: ModelProto) -> None:
    """A function that lacks its operands, its nodes, its imports or its name."""
    node = helper.make_node("Neg", ["a"], ["b"])
    function = helper.make_function("own", "f", ["a"], ["b"], [node], [helper.make_opsetid("", 18)])
    function.ClearField(one_of(rng, ("name", "domain", "input", "output", "node", "opset_import")))
    model.functions.append(function)
    if rng.random() < 0.5:
        model.functions.append(function)
    target = some_node(rng, model)
    target.op_type, target.domain = "f", "own"


# --- attributes ------------------------------------------------------------------------------------------------------


def attribute_value(rng: random.Random, model: ModelProto) -> None:
    attribute = some_attribute(rng, model)
    if attribute.type == AttributeProto.INT:
        attribute.i = one_of(rng, INTEGERS)
    elif attribute.type == AttributeProto.INTS:
        if rng.random() < 0.3:
            del attribute.ints[:]
        attribute.ints.extend(one_of(rng, INTEGERS) for _ in range(one_of(rng, (1, 2, 1000))))
    elif attribute.type == AttributeProto.FLOAT:
        attribute.f = one_of(rng, FLOATS)
    elif attribute.type == AttributeProto.STRING:
        attribute.s = one_of(rng, (b"\xff\xfe\x00", *(name.encode() for name in NAMES)))
    else:
        attribute.ints.append(one_of(rng, INTEGERS))


def attribute_integers(rng: random.Random, model: ModelProto) -> None:
    attribute = one_of(rng, [a for n in all_nodes(model) for a in n.attribute if len(a.ints)])
    attribute.ints[rng.randrange(len(attribute.ints))] = one_of(rng, INTEGERS)


def attribute_name(rng: random.Random, model: ModelProto) -> None:
    some_attribute(rng, model).name = one_of(rng, (*ATTRIBUTES, *NAMES))


def attribute_type(rng: random.Random, model: ModelProto) -> None:
    """An attribute claims to be of another type than its value."""
    some_attribute(rng, model).type = one_of(rng, AttributeProto.AttributeType.values())


def attribute_removed(rng: random.Random, model: ModelProto) -> None:
    node = one_of(rng, [n for n in all_nodes(model) if n.attribute])
    del node.attribute[rng.randrange(len(node.attribute))]


def attribute_doubled(rng: random.Random, model: ModelProto) -> None:
    node = one_of(rng, [n for n in all_nodes(model) if n.attribute])
    node.attribute.append(one_of(rng, node.attribute))


def attribute_added(rng: random.Random, model: ModelProto) -> None:
    values: tuple[Any, ...] = (
        one_of(rng, INTEGERS),
        one_of(rng, FLOATS),
        one_of(rng, NAMES[2:]),
        [one_of(rng, INTEGERS)] * 2,
    )
    some_node(rng, model).attribute.append(helper.make_attribute(one_of(rng, ATTRIBUTES), one_of(rng, values)))


def attribute_refers(rng: random.Random, model: ModelProto) -> None:
    """An attribute refers to one of a function, and there is no function around it."""
    some_attribute(rng, model).ref_attr_name = one_of(rng, NAMES[1:])


# --- data ------------------------------------------------------------------------------------------------------------


def raw_data(rng: random.Random, model: ModelProto) -> None:
    """A tensor with too few bytes, too many, or none."""
    tensor = one_of(rng, all_tensors(model))
    raw = tensor.raw_data
    tensor.raw_data = one_of(rng, (b"", raw[:-1], raw[: len(raw) // 2], raw + b"\x01", raw * 3, b"\xff" * len(raw)))


def tensor_type(rng: random.Random, model: ModelProto) -> None:
    one_of(rng, all_tensors(model)).data_type = one_of(rng, ELEMENT_TYPES)


def tensor_dimensions(rng: random.Random, model: ModelProto) -> None:
    tensor = one_of(rng, all_tensors(model))
    if len(tensor.dims) and rng.random() < 0.8:
        tensor.dims[rng.randrange(len(tensor.dims))] = one_of(rng, INTEGERS)
    else:
        tensor.dims.extend(one_of(rng, INTEGERS) for _ in range(one_of(rng, (1, 3, 70))))


def tensor_fields(rng: random.Random, model: ModelProto) -> None:
    """A tensor whose elements are in the field of another type."""
    tensor = one_of(rng, all_tensors(model))
    tensor.ClearField("raw_data")
    field = one_of(rng, ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data"))
    getattr(tensor, field).extend([b"\xff\x00"] * 3 if field == "string_data" else [1, 2, 3])


def tensor_value(rng: random.Random, model: ModelProto) -> None:
    """Other bytes in a tensor: another shape for Reshape, another axis, another index."""
    tensor = one_of(rng, [t for t in all_tensors(model) if t.raw_data])
    raw = bytearray(tensor.raw_data)
    for _ in range(one_of(rng, (1, 4))):
        raw[rng.randrange(len(raw))] = one_of(rng, (0, 1, 0x7F, 0x80, 0xFF))
    tensor.raw_data = bytes(raw)


LOCATIONS = (
    "weights.bin",
    "missing.bin",
    "../canary.txt",
    "../../canary.txt",
    "/etc/passwd",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/mem",
    "link.bin",
    "pipe",
    ".",
    "",
    "a\x00b",
    "sub/../weights.bin",
    "//etc//passwd",
    "~/x",
)
"""Files of external data. ``link.bin`` leads out of the folder, and ``pipe`` is a pipe without a writer."""


def external_data(rng: random.Random, model: ModelProto) -> None:
    tensor = one_of(rng, list(model.graph.initializer) or all_tensors(model))
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entries = {"location": one_of(rng, LOCATIONS)}
    if rng.random() < 0.5:
        entries["offset"] = one_of(rng, ("0", "4", "-1", "99999999999", "x", ""))
    if rng.random() < 0.5:
        entries["length"] = one_of(rng, ("0", "4", "-1", "99999999999999", "1e3", ""))
    if rng.random() < 0.1:
        del entries["location"]
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=value)


def sparse_initializer(rng: random.Random, model: ModelProto) -> None:
    values = helper.make_tensor(one_of(rng, all_names(model)), TensorProto.FLOAT, [2], [1.0, 2.0])
    indices = helper.make_tensor("i", TensorProto.INT64, [2], [one_of(rng, INTEGERS), 1])
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [one_of(rng, INTEGERS)]))


def initializer_removed(rng: random.Random, model: ModelProto) -> None:
    if not model.graph.initializer:
        raise Inapplicable
    del model.graph.initializer[rng.randrange(len(model.graph.initializer))]


def initializer_for_input(rng: random.Random, model: ModelProto) -> None:
    """An initializer that has the name of an input or of a result."""
    model.graph.initializer.append(helper.make_tensor(one_of(rng, all_names(model)), TensorProto.FLOAT, [1], [1.0]))


def constant_creator(rng: random.Random, model: ModelProto) -> None:
    """A node that makes a huge constant from a small one."""
    size = one_of(rng, INTEGERS)
    shape = helper.make_tensor("", TensorProto.INT64, [1], [size])
    zero, one = (helper.make_tensor("", TensorProto.INT64, [], [n]) for n in (0, 1))
    limit = helper.make_tensor("", TensorProto.INT64, [], [size])
    made: Mapping[str, Any] = {"shape": shape, "zero": zero, "limit": limit, "one": one}
    nodes = [helper.make_node("Constant", [], [f"made_{name}"], value=tensor) for name, tensor in made.items()]
    maker, operands = one_of(
        rng,
        (
            ("ConstantOfShape", ["shape"]),
            ("Range", ["zero", "limit", "one"]),
            ("Tile", ["zero", "shape"]),
            ("Expand", ["one", "shape"]),
            ("Reshape", ["one", "shape"]),
        ),
    )
    target = one_of(rng, [n for n in model.graph.node if n.input])
    nodes.append(helper.make_node(maker, [f"made_{name}" for name in operands], ["made_result"]))
    target.input[rng.randrange(len(target.input))] = "made_result"
    rest = [*model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend([*nodes, *rest])


# --- the model -------------------------------------------------------------------------------------------------------


def opset(rng: random.Random, model: ModelProto) -> None:
    one_of(rng, model.opset_import).version = one_of(rng, VERSIONS)


def opset_domain(rng: random.Random, model: ModelProto) -> None:
    one_of(rng, model.opset_import).domain = one_of(rng, DOMAINS)


def opset_doubled(rng: random.Random, model: ModelProto) -> None:
    model.opset_import.append(helper.make_opsetid("", one_of(rng, VERSIONS)))


def no_opset(rng: random.Random, model: ModelProto) -> None:
    del model.opset_import[:]


def ir_version(rng: random.Random, model: ModelProto) -> None:
    model.ir_version = one_of(rng, VERSIONS)


def producer(rng: random.Random, model: ModelProto) -> None:
    """A model that claims to come from Polyjuice, or whose metadata claim updates."""
    model.producer_name = "polyjuice"
    texts = (
        "{}",
        "[]",
        "{",
        "null",
        '{"x": "y"}',
        '{"x": 0}',
        '{"x": -1}',
        '{"x": 99}',
        '{"x": true}',
        "1e999",
        "[" * 2000,
    )
    for _ in range(one_of(rng, (1, 1, 2))):
        model.metadata_props.add(key="polyjuice.updates", value=one_of(rng, texts))


def no_inputs(rng: random.Random, model: ModelProto) -> None:
    del model.graph.input[rng.randrange(len(model.graph.input) + 1) :]


def no_outputs(rng: random.Random, model: ModelProto) -> None:
    del model.graph.output[rng.randrange(len(model.graph.output) + 1) :]


def unknown_output(rng: random.Random, model: ModelProto) -> None:
    one_of(rng, model.graph.output).name = one_of(rng, ("missing", "", *all_names(model), *NAMES))


def no_graph(rng: random.Random, model: ModelProto) -> None:
    model.ClearField("graph")


def subgraph(rng: random.Random, model: ModelProto) -> None:
    """A subgraph lacks an input, an output or a node, or has one more."""
    graphs = all_graphs(model.graph)[1:]
    graph = one_of(rng, graphs)
    parts: Any = one_of(rng, [p for p in (graph.input, graph.output, graph.node) if len(p)] or [graph.output])
    if len(parts) and rng.random() < 0.6:
        del parts[rng.randrange(len(parts))]
    else:
        graph.output.append(ValueInfoProto(name=one_of(rng, all_names(model))))


CLASSES: Mapping[str, Mapping[str, Change]] = {
    "types and sizes": {
        f.__name__: f
        for f in (
            dimension,
            huge_dimensions,
            named_dimension,
            rank,
            no_shape,
            no_type,
            other_type,
            deep_type,
            element_type,
        )
    },
    "nodes": {
        f.__name__: f
        for f in (
            operator,
            operator_name_of_another_kind,
            domain,
            node_name,
            operand,
            fewer_operands,
            more_operands,
            fewer_results,
            more_results,
            shuffled_nodes,
            fewer_nodes,
            many_nodes,
            subgraph,
        )
    },
    "names": {f.__name__: f for f in (duplicated_name, duplicated_part, renamed_value)},
    "cycles and nesting": {
        f.__name__: f for f in (cycle, deep_nesting, recursive_function, growing_functions, broken_function)
    },
    "attributes": {
        f.__name__: f
        for f in (
            attribute_value,
            attribute_integers,
            attribute_name,
            attribute_type,
            attribute_removed,
            attribute_doubled,
            attribute_added,
            attribute_refers,
        )
    },
    "data": {
        f.__name__: f
        for f in (
            raw_data,
            tensor_type,
            tensor_dimensions,
            tensor_fields,
            tensor_value,
            external_data,
            sparse_initializer,
            initializer_removed,
            initializer_for_input,
            constant_creator,
        )
    },
    "the model": {
        f.__name__: f
        for f in (
            opset,
            opset_domain,
            opset_doubled,
            no_opset,
            ir_version,
            producer,
            no_inputs,
            no_outputs,
            unknown_output,
            no_graph,
        )
    },
}
"""The changes by class: name of the class, name of the change, the change."""
