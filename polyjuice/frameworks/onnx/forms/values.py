"""Forms of any value: it passes through an operator that leaves it unchanged, or is computed in a subgraph.

People and exporters leave such operators in models. A few are inserted. A subgraph reads values of the graph around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, helper

from polyjuice.frameworks.onnx.forms.rule import FormRule, FormSite, Write, become, becomes
from polyjuice.frameworks.onnx.subgraphs import graphs_of
from polyjuice.frameworks.onnx.tensors import code_of, to_value_info
from polyjuice.frameworks.onnx.versions import is_default, takes
from polyjuice.ir import TensorType, dtypes
from polyjuice.ir.dtypes import NARROW

# --- operators that pass a value on -----------------------------------------------------------------------------------

VALUE = "any value"
"""The operator name in forms that concern a result, whatever operator computes it."""

_CHANCE = 0.008

FOLLOWED = 0.2
"""How often a value passes through an operator if some value of the seed model does."""

_SHOWN = ("Identity", "Dropout")
"""Operators that pass a value on wherever they stand in a model. The others do so with some operands alone."""

_COMMON = ("float32", "float64", "int32", "int64")
_FLOATS = ("float32", "float64")

Make = Callable[[FormSite, TensorType], NodeProto | None]
"""Returns the operator that passes on a value of a type; None if the opset has none."""

Suits = Callable[[TensorType], bool]


def rules() -> Iterator[FormRule]:
    for name, (suits, make) in _WAYS.items():
        shows = becomes(name) if name in _SHOWN else None
        yield FormRule(f"through {name}", (VALUE,), _CHANCE, _through(suits, make), shows)
    yield from _in_subgraphs()


def _through(suits: Suits, make: Make) -> Write:
    def write(node: NodeProto, site: FormSite) -> bool:
        place = next(i for i, name in enumerate(node.output) if name)
        t = site.types[node.output[place]]
        count = len(site.before)
        passed = make(site, t) if suits(t) else None
        if passed is None or not takes(passed.op_type, (t.dtype,), (), site.opset):
            del site.before[count:]
            return False
        hidden = site.fresh()
        site.types[hidden] = t
        passed.input[0] = hidden
        passed.output[0] = node.output[place]
        node.output[place] = hidden
        site.after.insert(0, passed)
        return True

    return write


def _node(op: str, *further: str, **attributes: Any) -> NodeProto:
    return helper.make_node(op, ["", *further], [""], **attributes)


def _simple(op: str) -> Make:
    return lambda site, t: _node(op)


def _of(*dtypes: str) -> Suits:
    return lambda t: t.dtype in dtypes


def _ranked(t: TensorType) -> bool:
    return t.rank > 0


def _full(t: TensorType) -> bool:
    return t.rank > 0 and 0 not in t.shape


def _common(t: TensorType) -> bool:
    return t.rank > 0 and t.dtype in _COMMON


def _slice(site: FormSite, t: TensorType) -> NodeProto:
    starts, ends = [0] * t.rank, [np.iinfo(np.int64).max] * t.rank
    return _node("Slice", site.integers(starts), site.integers(ends), site.integers(range(t.rank)))


def _split(site: FormSite, t: TensorType) -> NodeProto:
    """Return a Split into one part. A Split of opset 18 must state its parts."""
    axis = site.draws.choice([axis for axis, size in enumerate(t.shape) if size])
    if site.opset < 13:
        return _node("Split", axis=axis, split=[t.shape[axis]])
    return _node("Split", site.integers([t.shape[axis]]), axis=axis)


def _reduction(site: FormSite, t: TensorType) -> NodeProto | None:
    return _node("ReduceSum", site.integers([]), noop_with_empty_axes=1) if site.opset >= 13 else None


_WAYS: Mapping[str, tuple[Suits, Make]] = {
    "Identity": (lambda t: True, _simple("Identity")),
    "Dropout": (_of(*_FLOATS), _simple("Dropout")),
    "Transpose by the identity": (_ranked, lambda site, t: _node("Transpose", perm=list(range(t.rank)))),
    "Reshape to the same shape": (_full, lambda site, t: _node("Reshape", site.integers(t.shape))),
    "Reshape by zeros": (_ranked, lambda site, t: _node("Reshape", site.integers([0] * t.rank))),
    "Reshape by zeros and -1": (
        _full,
        lambda site, t: _node("Reshape", site.integers([0] * (t.rank - 1) + [-1])),
    ),
    "Cast to the same type": (
        lambda t: t.dtype not in NARROW,
        lambda site, t: _node("Cast", to=code_of(t.dtype)),
    ),
    "Expand to the same shape": (
        _ranked,
        lambda site, t: _node("Expand", site.integers(site.draws.choice((t.shape, (1,) * t.rank)))),
    ),
    "Slice of everything": (_ranked, _slice),
    "Concat of one": (_ranked, lambda site, t: _node("Concat", axis=site.draws.randrange(-t.rank, t.rank))),
    "Pad of nothing": (_common, lambda site, t: _node("Pad", site.integers([0] * (2 * t.rank)))),
    "Tile once": (_common, lambda site, t: _node("Tile", site.integers([1] * t.rank))),
    "Split of one part": (lambda t: _common(t) and any(t.shape), _split),
    "ReduceSum of no axes": (_of(*_COMMON), _reduction),
    "Sum of one": (_of(*_FLOATS), _simple("Sum")),
    "Mean of one": (_of("float32"), _simple("Mean")),
    "Max of one": (_of(*_FLOATS), _simple("Max")),
    "Min of one": (_of(*_FLOATS), _simple("Min")),
    "Mean of one float64": (_of("float64"), _simple("Mean")),
}
"""Mean has two forms, because some runtimes support only float32 and each form is probed by itself."""


# --- subgraphs that run once ------------------------------------------------------------------------------------------

_SUBGRAPH_CHANCE = 0.006

_LARGEST = 4096
"""The most elements of a result in a subgraph, because the surrounding graph needs a constant of the same type."""

_BFLOAT16_OPSET = 16
"""The first opset at which control flow supports bfloat16."""

_TRUTH, _NUMBER = TensorType("bool", ()), TensorType("int64", ())


def _in_subgraphs() -> Iterator[FormRule]:
    yield FormRule("in an If", (VALUE,), _SUBGRAPH_CHANCE, _in_an_if)
    yield FormRule("in a Loop", (VALUE,), _SUBGRAPH_CHANCE, _in_a_loop)
    yield FormRule("in a Scan", (VALUE,), _SUBGRAPH_CHANCE, _in_a_scan)


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
