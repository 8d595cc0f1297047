"""The forms of whole ONNX models: unusual inputs, outputs and initializers.

An input or an initializer may itself be an output, and a value may be two outputs. An initializer may be an input with
a default. Equal initializers may become one, and one may become several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from polyjuice.frameworks.choosers import Chooser, Draws
from polyjuice.frameworks.forms import MODEL, Drawn, Form, text
from polyjuice.frameworks.onnx.read import OUTPUT_MARK
from polyjuice.frameworks.onnx.subgraphs import RESERVED, close
from polyjuice.frameworks.onnx.tensors import dtype_of
from polyjuice.frameworks.onnx.versions import default_version, takes
from polyjuice.ir import Graph

_CHANCE = 0.06

_MADE = f"{RESERVED}interface:"
"""The prefix of the names of values that forms need."""

Write = Callable[[ModelProto, Graph, Draws], bool]
"""Gives a model a form. Returns False, and changes nothing, if the model cannot have it."""


def rewrite(model: ModelProto, graph: Graph, chooser: Chooser, drawn: Drawn) -> None:
    """Give a graph's model, in place, the forms that are drawn. Further outputs follow those of the graph.

    A form concerns the whole model, and so do the choices about it.
    """
    forms, details = chooser.about("forms of"), chooser.about("form of")
    for form, write in _RULES.items():
        if not drawn.wants(form, forms, _CHANCE):
            continue
        draws = details.named(text(form))
        if write(model, graph, draws):
            drawn.use(form)
        else:
            forms.named(text(form)).forget()
            draws.forget()


def forms_of(model: ModelProto) -> Iterator[Form]:
    inputs = {value.name for value in model.graph.input}
    constants = {tensor.name for tensor in model.graph.initializer}
    outputs = {value.name for value in model.graph.output}
    passed = Counter(node.input[0] for node in model.graph.node if node.op_type == "Identity" and node.input)
    there = {
        _INPUT_AS_OUTPUT: inputs & outputs - constants,
        _CONSTANT_AS_OUTPUT: constants & outputs,
        _DEFAULT: constants & inputs,
        _DOUBLED: [t for t in _doubles(model.graph).values() if len(t) > 1],
        _TWO_OUTPUTS: [name for name in outputs if passed[name]],
    }
    yield from (form for form, found in there.items() if found)


# --- outputs ---------------------------------------------------------------------------------------------------------


def _input_as_output(model: ModelProto, graph: Graph, draws: Draws) -> bool:
    constants = {tensor.name for tensor in model.graph.initializer}
    declared = {value.name: value for value in model.graph.input if value.name not in constants}
    return _as_output(model.graph, declared, draws)


def _constant_as_output(model: ModelProto, graph: Graph, draws: Draws) -> bool:
    """Make an initializer an output, if the host passes its type already. ONNX Runtime in Python lacks bfloat16."""
    passed = {value.type.tensor_type.elem_type for value in (*model.graph.input, *model.graph.output)}
    found = [t for t in model.graph.initializer if t.name in graph.constants and t.data_type in passed]
    return _as_output(model.graph, {t.name: _declared(t) for t in found}, draws)


def _as_output(proto: GraphProto, values: Mapping[str, ValueInfoProto], draws: Draws) -> bool:
    """Make one of these values an output itself, in place of an output that only passes it on, or as a further one."""
    taken = {value.name for value in proto.output}
    free = [name for name in values if name not in taken]
    passing = [node for node in proto.node if node.name.startswith(OUTPUT_MARK) and node.input[0] in free]
    if passing:
        node = draws.choice(passing)
        place = next(i for i, value in enumerate(proto.output) if value.name == node.output[0])
        proto.output[place].CopyFrom(values[node.input[0]])
        proto.node.remove(node)
        return True
    if not free:
        return False
    proto.output.append(values[draws.choice(free)])
    return True


def _two_outputs(model: ModelProto, graph: Graph, draws: Draws) -> bool:
    proto, opset = model.graph, default_version(model)
    dtypes = [dtype_of(value.type.tensor_type.elem_type, "") for value in proto.output]
    fit = [v for v, dtype in zip(proto.output, dtypes, strict=True) if takes("Identity", (dtype,), (), opset)]
    if not fit:
        return False
    value = draws.choice(fit)
    copy = ValueInfoProto()
    copy.CopyFrom(value)
    name = f"{_MADE}output"
    proto.node.append(NodeProto(op_type="Identity", input=[value.name], output=[name]))
    (copy if draws.choice((True, False)) else value).name = name
    proto.output.append(copy)
    return True


# --- initializers ----------------------------------------------------------------------------------------------------


def _default(model: ModelProto, graph: Graph, draws: Draws) -> bool:
    proto = model.graph
    inputs = {value.name for value in proto.input}
    found = [t for t in proto.initializer if t.name in graph.constants and t.name not in inputs]
    if not found:
        return False
    proto.input.append(_declared(draws.choice(found)))
    return True


def _declared(tensor: TensorProto) -> ValueInfoProto:
    return helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)


def _shared(model: ModelProto, graph: Graph, draws: Draws) -> bool:
    proto = model.graph
    captured = {name for node in proto.node for name in close(node)[1]}
    fixed = captured.union(value.name for value in (*proto.input, *proto.output))
    merged: dict[str, str] = {}
    for equal in _doubles(proto).values():
        first, *others = equal
        merged.update((name, first) for name in others if name not in fixed)
    if not merged:
        return False
    for node in proto.node:
        node.input[:] = [merged.get(name, name) for name in node.input]
    kept = [tensor for tensor in proto.initializer if tensor.name not in merged]
    del proto.initializer[:]
    proto.initializer.extend(kept)
    return True


def _doubled(model: ModelProto, graph: Graph, draws: Draws) -> bool:
    proto = model.graph
    tensors = {tensor.name: tensor for tensor in proto.initializer}
    places = [(node, i) for node in proto.node for i, name in enumerate(node.input) if name in tensors]
    count = Counter(node.input[i] for node, i in places)
    places = [(node, i) for node, i in places if count[node.input[i]] > 1]
    if not places:
        return False
    node, place = draws.choice(places)
    copy = proto.initializer.add()
    copy.CopyFrom(tensors[node.input[place]])
    copy.name = node.input[place] = f"{_MADE}copy"
    return True


def _doubles(proto: GraphProto) -> dict[tuple[int, tuple[int, ...], bytes], list[str]]:
    """Return the names of initializers by their content, if that is raw data."""
    found: dict[tuple[int, tuple[int, ...], bytes], list[str]] = {}
    for tensor in proto.initializer:
        if tensor.HasField("raw_data"):
            found.setdefault((tensor.data_type, tuple(tensor.dims), tensor.raw_data), []).append(tensor.name)
    return found


_INPUT_AS_OUTPUT = MODEL, "an input as an output"
_CONSTANT_AS_OUTPUT = MODEL, "an initializer as an output"
_TWO_OUTPUTS = MODEL, "a value as two outputs"
_DEFAULT = MODEL, "an initializer as an input"
_SHARED = MODEL, "equal initializers as one"
_DOUBLED = MODEL, "an initializer twice"

_RULES: Mapping[Form, Write] = {
    _SHARED: _shared,
    _DOUBLED: _doubled,
    _INPUT_AS_OUTPUT: _input_as_output,
    _CONSTANT_AS_OUTPUT: _constant_as_output,
    _TWO_OUTPUTS: _two_outputs,
    _DEFAULT: _default,
}
"""In this order: forms that merge or copy initializers come before forms that make one an input or an output."""

FORMS = frozenset(_RULES)
