"""The forms of ONNX's operators: where a model can be written in several ways, the seed chooses one.

Programs derived from an existing model can be written alike, by the forms that it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import numpy as np
from onnx import ModelProto, NodeProto

from polyjuice.frameworks.choosers import Chooser
from polyjuice.frameworks.forms import FOLLOWED, Drawn, Form, Offers, text
from polyjuice.frameworks.onnx.forms import attributes, axes, operands, values
from polyjuice.frameworks.onnx.forms.rule import MADE, FormRule, FormSite, NodeView, attribute
from polyjuice.frameworks.onnx.subgraphs import nested_nodes
from polyjuice.frameworks.onnx.tensors import to_array
from polyjuice.frameworks.onnx.versions import default_version, is_default, schema_of
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE

_SOURCES = (axes, operands, attributes, values)
"""In this order: forms that need an attribute come before those that drop it, and subgraphs take the finished node."""


_OFTEN = 0.5
"""The highest rate of a form of a rare operator, unless the form's own rate is higher."""


@cache
def _rules() -> Mapping[str, tuple[tuple[FormRule, float], ...]]:
    """Return the rules of each operator, in the order in which :func:`rewrite` tries them, and their chances."""
    found: dict[str, tuple[tuple[FormRule, float], ...]] = {}
    for source in _SOURCES:
        for rule in source.rules():
            for operator in rule.operators:
                found[operator] = (*found.get(operator, ()), (rule, _chance(rule, operator)))
    return found


@cache
def _offers(operator: str) -> Offers:
    """Return the forms of an operator that are chosen by chance; others are used wherever they are possible."""
    return Offers([((operator, rule.name), chance) for rule, chance in _rules().get(operator, ()) if not rule.observed])


def _chance(rule: FormRule, operator: str) -> float:
    """Return how often a form is chosen: more often if the operator is rare."""
    op = TABLE.get(("", operator))
    raised = rule.chance / op.weight if op and op.weight < 1 else rule.chance
    return max(rule.chance, min(raised, _OFTEN))


FORMS: frozenset[Form] = frozenset((operator, rule.name) for operator, found in _rules().items() for rule, _ in found)


def rewrite(
    nodes: Iterable[NodeProto],
    types: Mapping[str, TensorType],
    constants: Mapping[str, np.ndarray],
    opset: int,
    chooser: Chooser,
    drawn: Drawn,
    shown: dict[str, TensorType] | None = None,
    function: str = "",
) -> list[NodeProto]:
    """Return the nodes, changed in place, and those that forms add. ``drawn`` records their forms.

    The choices about nodes of a ``function`` have sites of their own, because its results have the names of the call's.
    ``shown`` collects further outputs of the model, with their types; None if there can be none.
    """
    written: list[NodeProto] = []
    of = f"in {function} of" if function else "of"
    known = dict(types)
    names: list[str] | None = None if shown is None else []
    for node in nodes:
        result = next(filter(None, node.output), "")
        site = FormSite(
            types=known,
            constants=constants,
            opset=opset,
            place=result,
            draws=chooser.about(f"form {of}", result),
            shown=names,
        )
        forms, details = chooser.about(f"forms {of}", result), site.draws
        operator = node.op_type if is_default(node.domain) else ""
        for subject in _subjects(node, operator, known):
            followed = values.FOLLOWED if subject == values.VALUE else FOLLOWED
            wanted = drawn.wanted(_offers(subject), forms, followed)
            for rule, _ in _rules().get(subject, ()):
                form = subject, rule.name
                if form not in wanted and not (rule.observed and drawn.may(form)):
                    continue
                site.draws = details.named(text(form))
                if result in types and rule.write(node, site):
                    drawn.use(form)
                else:
                    forms.named(text(form)).forget()
                    site.draws.forget()
        written += [*site.before, node, *site.after]
    if shown is not None:
        shown.update((name, known[name]) for name in names or ())
    return written


def _subjects(node: NodeProto, operator: str, types: Mapping[str, TensorType]) -> list[str]:
    """What the forms of a node may be about: sizes must be known, those of results for forms of any value."""
    operands, results = (
        all(types[name].known for name in names if name in types) for names in (node.input, node.output)
    )
    return [subject for subject, fits in ((operator, operands), (values.VALUE, operands and results)) if fits]


def is_subject(subject: str) -> bool:
    """Return whether the choices about a subject are about forms."""
    return bool(re.fullmatch(r"forms? (in \w+ )?of(:.*)?", subject))


def is_constant(node: NodeProto) -> bool:
    return node.op_type == "Constant" and node.output[0].startswith(MADE) and node.attribute[0].name == "value"


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
    schema = schema_of(node.op_type, opset)
    if schema is None:
        return
    view = NodeView(node, schema, known)
    for subject in dict.fromkeys((node.op_type, "Constant", values.VALUE)):
        for rule, _ in _rules().get(subject, ()):
            if rule.shows and rule.shows(view):
                yield subject, rule.name
