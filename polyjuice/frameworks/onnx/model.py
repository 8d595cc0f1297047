"""Lower a graph to a serialized ONNX model.

Operators that ONNX lacks at the opset are decomposed. ONNX Runtime's own operators mostly stay, for a compiler that
takes them. A chooser decides the rest: implicit broadcasts or Expand nodes;
axes counted from the front or the end; constants as initializers, Constant nodes or inputs; static or symbolic sizes; a
part of the graph as a local function; an intermediate value as a further output. The artifact names every choice.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from onnx import FunctionProto, ModelProto, NodeProto, OperatorSetIdProto

from polyjuice.execution import Artifact, LoweringChoices
from polyjuice.frameworks import aten_calls
from polyjuice.frameworks.choosers import ANY, Chooser
from polyjuice.frameworks.forms import MODEL, Drawn, Form, text
from polyjuice.frameworks.idioms import axes_from_the_end, further_result, named
from polyjuice.frameworks.onnx import forms as onnx_forms
from polyjuice.frameworks.onnx import graph_files
from polyjuice.frameworks.onnx import interface as onnx_interface
from polyjuice.frameworks.onnx import opsets as onnx_opsets
from polyjuice.frameworks.onnx.subgraphs import close
from polyjuice.frameworks.onnx.tensors import constant_node, to_array, to_value_info
from polyjuice.frameworks.onnx.versions import OPSET, default_version, takes, taking_version
from polyjuice.frameworks.outline import FUNCTIONS, Calling, Outline, choose
from polyjuice.frameworks.request import USUAL, Request, Unlowerable
from polyjuice.ir import Graph, GraphError, Node, TensorType, dtypes
from polyjuice.ops import entry
from polyjuice.ops.decompose import NoDecomposition, decompose
from polyjuice.ops.spec import CONTRIB

OPSETS = range(onnx_opsets.OLDEST, onnx_opsets.NEWEST + 1)
"""The opsets at which models are written."""

DRAWN = 0
"""Means that the seed chooses the opset."""

OPSET_SITE = ("opset", "")
"""The site at which the opset is chosen."""


_NO_OTHER_OPSET = "no other opset"
"""The site at which the model may stay at the opset of stored graphs."""


def _opset_form(opset: int) -> Form:
    return MODEL, f"opset {opset}"


FORMS = onnx_forms.FORMS.union(onnx_interface.FORMS, map(_opset_form, OPSETS))
"""The forms of ONNX's operators and of whole models, including the opsets."""


def opset_of(form: Form) -> int:
    """Return the opset that a form of whole models names; 0 for any other form."""
    return next((opset for opset in OPSETS if form == _opset_form(opset)), 0)


def forms_of(model: ModelProto) -> tuple[Form, ...]:
    """Return the forms that an existing model has, including its opset."""
    opset = default_version(model)
    of_opset = [_opset_form(opset)] if opset in OPSETS else []
    return (*onnx_forms.forms_of(model), *onnx_interface.forms_of(model), *of_opset)


SYMBOLIC, CONSTANT_NODES = "symbolic sizes", "constant nodes"
"""Idioms that an importer may lack (``lacks`` in a compiler file). Others are FUNCTIONS and the domain CONTRIB."""

# Chances of the idioms, where they are possible.
_OWN_OPERATOR = 0.9
_EXPLICIT_BROADCAST = 0.05
_ARGUMENT = 0.05
_CONSTANT_NODES = 0.15
_SEED_CONSTANT_NODES = 0.8
_INNER_CONSTANT = 0.5
_FURTHER_RESULT = 0.08

_ANY_OPSET = 0.5
"""How often all opsets are equally likely."""

_DOMAIN = "model"

_NEGATIVE_AXES = 13
"""The first opset at which every operator accepts axes counted from the end."""

_PART, _AROUND = "part", "around"
"""The names of the function that is a part of the graph, and of a function that calls it."""


def following(forms: Collection[Form], opset: int = OPSET) -> LoweringChoices:
    """Return choices for a program that has these forms wherever possible, and is plain otherwise.

    Its opset is the one among the forms, else ``opset``.
    """
    opset = next(filter(None, map(opset_of, forms)), opset)
    nodes = any(operator == "Constant" for operator, _ in forms)
    return LoweringChoices.of(
        {
            OPSET_SITE: [opset if opset != OPSET else 0],
            ("constant nodes", ""): [nodes],
            ("constant node", ANY): [nodes],
            **{(f"forms of: {text(form)}", ANY): [1] for form in forms},
        }
    )


def without_forms(choices: LoweringChoices, opset: int) -> LoweringChoices:
    """Return the choices without those about forms, and without the opset's if ``opset`` is DRAWN."""
    others = () if opset else (OPSET_SITE[0], _NO_OTHER_OPSET)
    return choices.without([s for s in choices.taken if onnx_forms.is_subject(s[0]) or s[0].split(":")[0] in others])


def lower(graph: Graph, chooser: Chooser, request: Request = USUAL) -> Artifact:
    """Return the model of a graph at an opset, or near a drawn one (DRAWN). Raises Unlowerable naming the node."""
    opset, lacks, seed_forms = request.opset, request.lacks, request.seed_forms
    idioms: Counter[str] = Counter()
    drawn = Drawn(FORMS, lacks, seed_forms)
    at = _opset(chooser, opset, seed_forms, request.wanted.opset)
    try:
        graph = decompose(graph, max(at, OPSET), _own_operators(graph, chooser, lacks))
    except NoDecomposition as error:
        raise Unlowerable(f"{error} (no ONNX at opset {at})") from None
    for node in graph.nodes:
        if aten_calls.from_node(node):
            raise Unlowerable(f"node {node}: ONNX cannot say this call of ATen's; a Torch compiler can run it")
    results = len(graph.outputs)
    if at >= _NEGATIVE_AXES:
        graph = axes_from_the_end(graph, chooser, idioms)
    graph = _explicit_broadcasts(graph, chooser, idioms)
    graph, arguments = _constants_as_inputs(graph, chooser, idioms)
    made = [name for node in graph.nodes for name in node.outputs if name and name not in graph.outputs]
    further = further_result(made, chooser, _FURTHER_RESULT, idioms)
    graph = replace(graph, outputs=(*graph.outputs, *further))
    callings = (Calling.DIRECT, Calling.WRAPPED)  # an ONNX function cannot be a value or contain another function
    outline = None if FUNCTIONS in lacks else choose(graph, chooser, callings)
    _check_narrow(graph)
    try:
        model = graph_files.to_model(graph)
    except (graph_files.FormatError, GraphError) as error:
        raise Unlowerable(str(error)) from None
    near = onnx_opsets.nearest(model, graph.types, at)
    refused = not opset and not drawn.may(_opset_form(default_version(near)))
    if not chooser.about(_NO_OTHER_OPSET).take(lambda rng: refused, 2):
        model = near
    drawn.use(_opset_form(default_version(model)))
    constants = {t.name: to_array(t, t.name) for t in model.graph.initializer}
    if outline:
        _outline(model, outline, chooser, idioms)
    as_nodes = any(name.startswith("Constant: ") for name in seed_forms)
    chance = _SEED_CONSTANT_NODES if as_nodes else _CONSTANT_NODES
    if CONSTANT_NODES not in lacks and chooser.about("constant nodes").chance(chance, plain=False):
        _constant_nodes(model, chooser, idioms)
    _forms(model, graph, constants, chooser, drawn)
    if SYMBOLIC not in lacks and chooser.about("sizes").chance(request.unknown_sizes, plain=False):
        _symbolic(model, idioms)
    onnx_interface.rewrite(model, graph, chooser, drawn)
    if model.functions or idioms[CONSTANT_NODES] or drawn.used:
        model.producer_name = ""  # not a stored graph, which would be read unchanged
    return Artifact(
        format="onnx",
        source=model.SerializeToString(deterministic=True),
        arrays=dict(arguments),
        arguments=tuple(name for name, _ in arguments),
        results=results,
        idioms=named(idioms),
        forms=drawn.used,
        choices=chooser.record(),
    )


def _own_operators(graph: Graph, chooser: Chooser, lacks: Collection[str]) -> list[str]:
    """The results of ONNX Runtime's own operators that the model has; definitions replace the others."""
    chance = 0.0 if CONTRIB in lacks else _OWN_OPERATOR
    results = [next(filter(None, node.outputs)) for node in graph.nodes if node.domain == CONTRIB and not node.opaque]
    return [name for name in results if chooser.about("operator of", name).chance(chance, plain=False)]


def _check_narrow(graph: Graph) -> None:
    """Raise Unlowerable for a node whose narrow types no version of ONNX supports."""
    for node in graph.nodes:
        if node.domain or node.opaque:
            continue
        operands, results = (tuple(graph.types[n].dtype for n in names if n) for names in (node.inputs, node.outputs))
        narrow = [dtype for dtype in (*operands, *results) if dtype in dtypes.NARROW]
        if narrow and not takes(node.op, operands, results, taking_version(node.op, operands, results, OPSET)):
            raise Unlowerable(f"node {node}: ONNX has no {node.op} of {narrow[0]}")


def _opset(chooser: Chooser, fixed: int, seed_forms: Collection[str], wanted: int) -> int:
    """The recorded option is the opset itself, or 0 for that of stored graphs."""

    def drawn(rng: random.Random) -> int:
        own = next((opset for opset in OPSETS if text(_opset_form(opset)) in seed_forms), OPSET)
        chosen = rng.choice(OPSETS) if rng.random() < _ANY_OPSET else own
        opset = fixed or wanted or chosen
        return opset if opset != OPSET else 0

    return chooser.about(*OPSET_SITE).take(drawn, onnx_opsets.NEWEST + 1) or OPSET


def _forms(
    model: ModelProto, graph: Graph, constants: Mapping[str, np.ndarray], chooser: Chooser, drawn: Drawn
) -> None:
    """Constants that forms need become initializers of the model, and Constant nodes in functions."""
    opset = default_version(model)
    for place in (model.graph, *model.functions):
        shown: dict[str, TensorType] | None = {} if place is model.graph else None
        function = place.name if isinstance(place, FunctionProto) else ""
        nodes = onnx_forms.rewrite(place.node, graph.types, constants, opset, chooser, drawn, shown, function)
        model.graph.output.extend(to_value_info(name, t) for name, t in (shown or {}).items())
        del place.node[:]
        if place is model.graph:
            made = list(filter(onnx_forms.is_constant, nodes))
            nodes = [node for node in nodes if not onnx_forms.is_constant(node)] if made else nodes
            for node in made:
                model.graph.initializer.append(node.attribute[0].t)
                model.graph.initializer[-1].name = node.output[0]
        place.node.extend(nodes)


def _explicit_broadcasts(graph: Graph, chooser: Chooser, idioms: Counter[str]) -> Graph:
    types = dict(graph.types)
    nodes: list[Node] = []
    for node in graph.nodes:
        op = entry(node)
        inputs = list(node.inputs)
        result = types[node.outputs[0]] if node.outputs[0] else None
        shape = result.shape if result else ()
        for position, name in enumerate(inputs if op and op.elementwise and (not result or result.known) else ()):
            if not name or types[name].shape == shape:
                continue
            if not chooser.about(f"operand {position} of", node.outputs[0]).chance(_EXPLICIT_BROADCAST):
                continue
            inputs[position] = f"expanded{len(types)}"
            types[inputs[position]] = TensorType(types[name].dtype, shape)
            nodes.append(Node("Expand", (name,), (inputs[position],), {"shape": shape}))
            idioms["explicit broadcast"] += 1
        nodes.append(replace(node, inputs=tuple(inputs)))
    return replace(graph, nodes=tuple(nodes), types=types)


def _constants_as_inputs(
    graph: Graph, chooser: Chooser, idioms: Counter[str]
) -> tuple[Graph, list[tuple[str, np.ndarray]]]:
    moved = [
        (name, array) for name, array in graph.constants.items() if chooser.about("argument", name).chance(_ARGUMENT)
    ]
    if not moved:
        return graph, []
    idioms["a constant as an argument"] += len(moved)
    names = [name for name, _ in moved]
    constants = {name: array for name, array in graph.constants.items() if name not in names}
    return replace(graph, inputs=(*graph.inputs, *names), constants=constants), moved


def _constant_nodes(model: ModelProto, chooser: Chooser, idioms: Counter[str]) -> None:
    kept, constants = [], []
    for tensor in model.graph.initializer:
        if chooser.about("constant node", tensor.name).chance(0.5, plain=True):
            kept.append(tensor)
            continue
        idioms[CONSTANT_NODES] += 1
        constants.append(constant_node(tensor))
    nodes = [*constants, *model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes)


def _outline(model: ModelProto, outline: Outline, chooser: Chooser, idioms: Counter[str]) -> None:
    """Turn a part into a local function and its call. The first nodes of the model are those of the graph."""
    nodes = list(model.graph.node)
    inside = [nodes[number] for number in sorted(outline.part.nodes)]
    rest = nodes[len(outline.part.nodes) + len(outline.before) + len(outline.after) :]
    outside = [*(nodes[number] for number in (*outline.before, *outline.after)), *rest]
    made = {name for node in inside for name in node.output if name}
    operands = [name for name in dict.fromkeys(name for node in inside for name in _read(node)) if name not in made]
    constants = [
        t
        for t in model.graph.initializer
        if t.name in operands and chooser.about("inner constant", t.name).chance(_INNER_CONSTANT)
    ]
    inner = {tensor.name for tensor in constants}
    operands = [name for name in operands if name not in inner]
    results = outline.part.graph.outputs
    function = FunctionProto(name=_PART, domain=_DOMAIN, input=operands, output=results)
    function.node.extend([*map(constant_node, constants), *inside])
    function.opset_import.extend(model.opset_import)
    model.functions.append(function)
    domain = OperatorSetIdProto(domain=_DOMAIN, version=1)
    model.opset_import.append(domain)
    call = NodeProto(op_type=_PART, domain=_DOMAIN, input=operands, output=results)
    if outline.calling is Calling.WRAPPED:
        around = FunctionProto(name=_AROUND, domain=_DOMAIN, input=operands, output=results, node=[call])
        around.opset_import.extend(model.opset_import)
        model.functions.append(around)
        call = NodeProto(op_type=_AROUND, domain=_DOMAIN, input=operands, output=results)
    unread = inner.difference(name for node in outside for name in _read(node))
    kept = [tensor for tensor in model.graph.initializer if tensor.name not in unread]
    hidden = made.difference(results)
    shown = [info for info in model.graph.value_info if info.name not in hidden]
    del model.graph.node[:], model.graph.initializer[:], model.graph.value_info[:]
    model.graph.node.extend([*outside[: len(outline.before)], call, *outside[len(outline.before) :]])
    model.graph.initializer.extend(kept)
    model.graph.value_info.extend(shown)
    idioms[outline.calling.value] += 1


def _read(node: NodeProto) -> list[str]:
    return [*filter(None, node.input), *close(node)[1]]


def _symbolic(model: ModelProto, idioms: Counter[str]) -> None:
    """Make the sizes of all inputs symbols, the same for equal sizes, and remove other declarations."""
    count = 0
    for info in model.graph.input:
        for dim in info.type.tensor_type.shape.dim:
            if dim.dim_value > 1:
                dim.dim_param = f"n{dim.dim_value}"
                count += 1
    del model.graph.value_info[:]
    if count:
        idioms[SYMBOLIC] += 1
