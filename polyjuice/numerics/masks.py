"""Why the analysis leaves elements of an output open: the mask, and the operator that brings it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.ir import Graph, Node, TensorType, dtypes
from polyjuice.numerics.values import Application, Mode, Setting, Value, of_array, propagate, rule_context
from polyjuice.ops import entry

MASKS: Mapping[str, str] = {
    "error": "a comparison, cast, sort or index that the operands' errors could turn over",
    "ties": "equal elements, of which the framework may take any",
    "limits": "an infinity or NaN on which frameworks do not all agree",
    "disputed": "operands for which frameworks define different results",
    "overflow": "a pole, or a number or partial sum that leaves its type",
    "opaque": "an operator that Polyjuice does not know",
    "excess_precision": "a cast that the compiler may leave out, so it counts as rounding",
}
"""The masks by name, each with what it stands for."""


def masks(graph: Graph, inputs: Sequence[np.ndarray], output: int, mode: Mode) -> Counter[tuple[str, str]]:
    """How many elements each mask covers where it first applies, by the mask and the operator.

    Only operators count on which the output depends. An element that is open because an operand is open does not count
    again. Raises EvaluationError where an operator has no value.
    """
    needed = {graph.outputs[output]}
    for node in reversed(graph.nodes):
        if not needed.isdisjoint(node.outputs):
            needed.update(filter(None, node.inputs))
    setting = Setting(mode=mode)
    found: Counter[tuple[str, str]] = Counter()
    with np.errstate(all="ignore"):
        state = {
            name: of_array(array, graph.types[name].dtype, setting)
            for name, array in (*zip(graph.inputs, inputs, strict=True), *graph.constants.items())
        }
        for node in graph.nodes:
            operands = [state[name] for name in node.inputs if name]
            types = [graph.types[name] if name else None for name in node.outputs]
            values = propagate(node, operands, types, setting)
            for number, (name, value) in enumerate(zip(node.outputs, values, strict=True)):
                if name:
                    state[name] = value
                if name in needed:
                    found.update(_of_result(node, operands, types, setting, values, number))
    return found


def _of_result(
    node: Node,
    operands: Sequence[Value],
    types: Sequence[TensorType | None],
    setting: Setting,
    values: Sequence[Value],
    number: int,
) -> dict[tuple[str, str], int]:
    op, value, type = entry(node), values[number], types[number]
    assert type is not None
    found = {}
    if op and op.rounds and type.dtype in setting.mode.excess_precision:
        found["excess_precision", node.qualified] = type.size
    new = np.isinf(np.broadcast_to(value.error, value.array.shape))
    if op and op.elementwise:
        for operand in operands:
            new = new & ~np.isinf(np.broadcast_to(operand.error, operand.array.shape))
    elif any(np.isinf(operand.error).any() for operand in operands):
        return found
    for mask in ("disputed", "ties"):
        part = new & _covered(mask, node, operands, types, setting, values, number) if new.any() else new
        found[mask, node.qualified] = int(part.sum())
        new = new & ~part
    if new.any():
        extreme = any(v.extreme is not None for v in operands)
        large = type.dtype != "bool" and (
            dtypes.is_int(type.dtype) or bool((np.abs(value.array[new]) >= dtypes.largest_finite(type.dtype)).any())
        )
        mask = "opaque" if op is None else "limits" if extreme else "overflow" if large else "error"
        found[mask, node.qualified] = int(new.sum())
    return {key: count for key, count in found.items() if count}


def _covered(
    mask: str,
    node: Node,
    operands: Sequence[Value],
    types: Sequence[TensorType | None],
    setting: Setting,
    values: Sequence[Value],
    number: int,
) -> np.ndarray:
    """The elements of a result that a mask covers, whether others cover them, too."""
    op, shape = entry(node), values[number].array.shape
    if mask == "disputed" and op and op.disputed:
        done = Application(op, node, [v.array for v in operands], [v.array for v in values], types, setting)
        return np.broadcast_to(np.asarray(op.disputed(rule_context(done, operands, False))), shape)
    if mask == "ties" and op and op.ties and not setting.mode.ordered:
        ordered = replace(setting, mode=replace(setting.mode, ordered=True))
        return np.asarray(np.isfinite(np.broadcast_to(propagate(node, operands, types, ordered)[number].error, shape)))
    return np.zeros(shape, bool)
