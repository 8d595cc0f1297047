"""Put nodes into the body of an If, a Loop or a Scan that runs once. They read values of the surrounding graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, helper

from polyjuice.frameworks.onnx.forms.identities import VALUE
from polyjuice.frameworks.onnx.forms.rule import FormRule, FormSite, become
from polyjuice.frameworks.onnx.subgraphs import graphs_of
from polyjuice.frameworks.onnx.tensors import to_value_info
from polyjuice.frameworks.onnx.versions import is_default
from polyjuice.ir import TensorType, dtypes

_CHANCE = 0.006

_LARGEST = 4096
"""The most elements of a result in a subgraph, because the surrounding graph needs a constant of the same type."""

_BFLOAT16_OPSET = 16
"""The first opset at which control flow supports bfloat16."""

_TRUTH, _NUMBER = TensorType("bool", ()), TensorType("int64", ())


def rules() -> Iterator[FormRule]:
    yield FormRule("in an If", (VALUE,), _CHANCE, _in_an_if)
    yield FormRule("in a Loop", (VALUE,), _CHANCE, _in_a_loop)
    yield FormRule("in a Scan", (VALUE,), _CHANCE, _in_a_scan)


def _results(node: NodeProto, site: FormSite) -> list[TensorType] | None:
    nested = any(graphs_of(attribute) for attribute in node.attribute)
    if nested or not is_default(node.domain) or not all(name in site.types for name in node.output):
        return None
    types = [site.types[name] for name in node.output]
    read = [site.types[name] for name in node.input if name in site.types]
    too_old = site.opset < _BFLOAT16_OPSET and any(t.dtype == "bfloat16" for t in (*types, *read))
    too_large = any(t.size > _LARGEST for t in types)
    return None if too_old or too_large or node.op_type == "Constant" else types


def _inside(node: NodeProto, site: FormSite) -> NodeProto:
    inner = NodeProto()
    inner.CopyFrom(node)
    inner.output[:] = [site.fresh() for _ in node.output]
    return inner


def _zeros(site: FormSite, types: Sequence[TensorType]) -> list[str]:
    return [site.constant(np.zeros(t.shape, dtypes.to_numpy(t.dtype))) for t in types]


def _graph(name: str, nodes: Sequence[NodeProto], results: Sequence[str], types: Sequence[TensorType]) -> GraphProto:
    graph = GraphProto(name=name, node=nodes)
    graph.output.extend(map(to_value_info, results, types))
    return graph


def _become(node: NodeProto, op: str, inputs: Sequence[str], **graphs: GraphProto) -> None:
    become(node, op, inputs)
    node.name = ""
    node.attribute.extend(AttributeProto(name=n, type=AttributeProto.GRAPH, g=g) for n, g in graphs.items())


def _in_an_if(node: NodeProto, site: FormSite) -> bool:
    types = _results(node, site)
    if types is None:
        return False
    taken = bool(site.draws.choice((True, False)))
    inner, zeros = _inside(node, site), _zeros(site, types)
    others = [helper.make_node("Identity", [zero], [site.fresh()]) for zero in zeros]
    branches = [
        _graph("taken", [inner], inner.output, types),
        _graph("other", others, [other.output[0] for other in others], types),
    ]
    then, otherwise = branches if taken else reversed(branches)
    _become(node, "If", [_condition(site, taken)], then_branch=then, else_branch=otherwise)
    return True


def _condition(site: FormSite, truth: bool) -> str:
    if site.draws.choice((False, True)):
        return site.apply("Not", site.constant(np.array(not truth)))
    return site.constant(np.array(truth))


def _in_a_loop(node: NodeProto, site: FormSite) -> bool:
    """Put the node into a loop body. The body carries the node's results, and ignores their previous values."""
    types = _results(node, site)
    if types is None:
        return False
    inner, zeros = _inside(node, site), _zeros(site, types)
    number, condition, passed = site.fresh(), site.fresh(), site.fresh()
    nodes = [inner, helper.make_node("Identity", [condition], [passed])]
    body = _graph("body", nodes, [passed, *inner.output], [_TRUTH, *types])
    parameters = [number, condition, *(site.fresh() for _ in types)]
    body.input.extend(map(to_value_info, parameters, [_NUMBER, _TRUTH, *types]))
    trips, goes_on = site.constant(np.array(1, np.int64)), site.constant(np.array(True))
    _become(node, "Loop", [trips, goes_on, *zeros], body=body)
    return True


def _in_a_scan(node: NodeProto, site: FormSite) -> bool:
    """Put the node into a scan body. It runs as often as the length of a constant that it ignores."""
    types = _results(node, site)
    if types is None:
        return False
    inner, zeros = _inside(node, site), _zeros(site, types)
    body = _graph("body", [inner], inner.output, types)
    parameters = [*(site.fresh() for _ in types), site.fresh()]
    body.input.extend(map(to_value_info, parameters, [*types, _NUMBER]))
    once = site.constant(np.zeros(1, np.int64))
    _become(node, "Scan", [*zeros, once], body=body)
    node.attribute.append(helper.make_attribute("num_scan_inputs", 1))
    return True
