"""Find the forms that an existing model has, so that programs derived from it can be written alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from onnx import ModelProto, NodeProto, defs

from polyjuice.frameworks.forms import Form
from polyjuice.frameworks.onnx.forms.identities import VALUE
from polyjuice.frameworks.onnx.forms.rule import NodeView, attribute
from polyjuice.frameworks.onnx.forms.writing import rules
from polyjuice.frameworks.onnx.subgraphs import nested_nodes
from polyjuice.frameworks.onnx.tensors import to_array
from polyjuice.frameworks.onnx.versions import default_version, is_default


def forms_of(model: ModelProto) -> tuple[Form, ...]:
    """Return the forms that nodes of a model have, each once, as far as single nodes show them."""
    nodes = [*model.graph.node, *(node for function in model.functions for node in function.node)]
    known = {t.name: to_array(t, t.name) for t in model.graph.initializer if t.name}
    for node in nodes:
        held = attribute(node, "value") if node.op_type == "Constant" else None
        if held is not None:
            known[node.output[0]] = to_array(held.t, node.output[0])
    opset = default_version(model)
    found = {
        form
        for node in nodes
        for inner in nested_nodes(node)
        if is_default(inner.domain)
        for form in _forms(inner, known, opset)
    }
    return tuple(sorted(found))


def _forms(node: NodeProto, known: Mapping[str, np.ndarray], opset: int) -> Iterator[Form]:
    """Yield the forms that a node shows. Constants and passed-on values may have become any operator."""
    try:
        view = NodeView(node, defs.get_schema(node.op_type, opset), known)
    except defs.SchemaError:
        return
    for subject in dict.fromkeys((node.op_type, "Constant", VALUE)):
        for rule, _ in rules().get(subject, ()):
            if rule.shows and rule.shows(view):
                yield subject, rule.name
