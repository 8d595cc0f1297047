"""Convert models to other opsets than that of stored graphs: each node is written as that opset defines it.

An operator's version at an opset may lack an element type, an attribute or an input. It may take an attribute that
became an input later, or have another meaning. A model is converted only if it keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from onnx import ModelProto, NodeProto, defs, helper

from polyjuice.frameworks.onnx.forms.rule import attribute, drop, give, set_input, value
from polyjuice.frameworks.onnx.subgraphs import nested_nodes
from polyjuice.frameworks.onnx.tensors import to_array, to_tensor
from polyjuice.frameworks.onnx.versions import (
    ONE_AXIS_OPSET,
    default_version,
    element_text,
    ir_version,
    is_default,
    schema_of,
    since_version,
    takes,
)
from polyjuice.ir import TensorType
from polyjuice.ops import TABLE
from polyjuice.ops.grids import LATER_MODES
from polyjuice.ops.spec import CONTRIB

OLDEST = 11
"""The oldest opset at which models are written."""

NEWEST = defs.onnx_opset_version()
"""The newest opset of the installed onnx package. A runtime may support fewer."""


def nearest(model: ModelProto, types: Mapping[str, TensorType], opset: int) -> ModelProto:
    """Return an equal model at the opset, or at the nearest possible one towards the model's own."""
    own = default_version(model)
    for version in range(opset, own, 1 if opset < own else -1):
        found = _at(model, types, version)
        if found is not None:
            return found
    return model


def _at(model: ModelProto, types: Mapping[str, TensorType], opset: int) -> ModelProto | None:
    constants = {tensor.name: to_array(tensor, tensor.name) for tensor in model.graph.initializer}
    known = {**types, **{name: TensorType(str(array.dtype), array.shape) for name, array in constants.items()}}
    writer = _Writer(known, constants, default_version(model), opset)
    if not all(map(writer.may_say, model.graph.node)):
        return None
    written = ModelProto()
    written.CopyFrom(model)
    if not all(map(writer.say, written.graph.node)):
        return None
    written.graph.initializer.extend(to_tensor(array, name) for name, array in writer.made.items())
    for imported in written.opset_import:
        if is_default(imported.domain):
            imported.version = opset
    written.ir_version = max(ir_version({o.domain: o.version for o in written.opset_import}), model.ir_version)
    return written


@cache
def versions(op: str, dtype: str) -> Mapping[int, range]:
    """Return the versions of an ONNX operator that take an element type first, and the opsets of each.

    The number of a version is its first opset. The mapping is empty if ONNX lacks the operator.
    """
    found: dict[int, list[int]] = {}
    for opset in range(OLDEST, NEWEST + 1):
        schema = schema_of(op, opset)
        if schema and (not schema.inputs or element_text(dtype) in schema.inputs[0].types):
            found.setdefault(schema.since_version, []).append(opset)
    return {since: range(opsets[0], opsets[-1] + 1) for since, opsets in found.items()}


class _Writer:
    def __init__(
        self, types: Mapping[str, TensorType], constants: Mapping[str, np.ndarray], own: int, opset: int
    ) -> None:
        self._types = types
        self._constants = constants
        self._own, self._opset = own, opset
        self.made: dict[str, np.ndarray] = {}

    def may_say(self, node: NodeProto) -> bool:
        """Return whether the opset has the operator for these types. A node with subgraphs must not need any change."""
        if (node.domain, node.op_type) in TABLE and node.domain == CONTRIB:
            return True
        if not is_default(node.domain) or not schema_of(node.op_type, self._own):
            return False
        if any(self._changes(inner) for inner in nested_nodes(node) if inner is not node):
            return False
        operands, results = (
            tuple(self._types[name].dtype if name in self._types else None for name in names)
            for names in (node.input, node.output)
        )
        return takes(node.op_type, operands, results, self._opset)

    def _changes(self, node: NodeProto) -> bool:
        own, other = (since_version(node.op_type, opset) for opset in (self._own, self._opset))
        return node.domain != CONTRIB and not 0 < own == other

    def say(self, node: NodeProto) -> bool:
        if not self._changes(node):
            return True
        old, new = defs.get_schema(node.op_type, self._own), defs.get_schema(node.op_type, self._opset)
        meaning = _MEANINGS.get(node.op_type)
        if meaning and not meaning(self, node):
            return False
        return self._inputs(node, old, new) and self._attributes(node, old, new)

    def _inputs(self, node: NodeProto, old: defs.OpSchema, new: defs.OpSchema) -> bool:
        while len(node.input) > len(new.inputs) and len(old.inputs) > len(new.inputs):
            place = len(node.input) - 1
            name, array = old.inputs[place].name, self._constants.get(node.input[place])
            if node.input[place]:
                if name not in new.attributes or array is None:
                    return False
                give(node, name, array.ravel().tolist() if array.ndim else array.item())
            node.input.pop()
        return True

    def _attributes(self, node: NodeProto, old: defs.OpSchema, new: defs.OpSchema) -> bool:
        for name in [a.name for a in node.attribute if a.name not in new.attributes]:
            declared, present = old.attributes[name].default_value, value(node, name)
            default = helper.get_attribute_value(declared) if declared.name else None
            if present != default and not (name == "dilations" and set(present) == {1}):
                return False
            drop(node, name)
        return True

    # --- operators whose meaning changed ---------------------------------------------------------------------------

    def one_axis(self, node: NodeProto) -> bool:
        """Before opset 13, Softmax and similar operators normalised over the axis and all later ones together."""
        if self._opset >= ONE_AXIS_OPSET:
            return True
        shape = self._types[node.input[0]].shape
        return all(size == 1 for size in shape[value(node, "axis") % len(shape) + 1 :])

    def scatter(self, node: NodeProto) -> bool:
        """Sums and products came with opset 16, extrema with 18."""
        known = {b"none"} | ({b"add", b"mul"} if self._opset >= 16 else set())
        return self._opset >= 18 or value(node, "reduction", b"none") in known

    def resize(self, node: NodeProto) -> bool:
        """Before opset 13, a region of interest and scales are required."""
        if self._opset < 13:
            for place in (1, 2):
                if not node.input[place]:
                    name = f"{node.output[0]}:none"
                    self.made[name] = np.zeros(0, np.float32)
                    set_input(node, place, name)
        return True

    def quantize(self, node: NodeProto) -> bool:
        """Before opset 13 there is one scale for all elements. From 19 to 22 it has the quantized operand's type."""
        if self._opset >= 13:
            data, scale = (self._types[name].dtype for name in node.input[:2])
            return node.op_type != "QuantizeLinear" or data == scale or not 19 <= self._opset < 23
        drop(node, "axis")
        return all(self._types[name].rank == 0 for name in node.input[1:] if name)

    def grid_sample(self, node: NodeProto) -> bool:
        """Opset 20 renamed the modes."""
        if self._opset >= 20 and attribute(node, "mode"):
            mode = value(node, "mode").decode()
            give(node, "mode", LATER_MODES.get(mode, mode))
        return True

    def roi_align(self, node: NodeProto) -> bool:
        """Before opset 16 it shifts no coordinates, and has no attribute for that."""
        if self._opset >= 16:
            return True
        shifts = value(node, "coordinate_transformation_mode") != b"output_half_pixel"
        drop(node, "coordinate_transformation_mode")
        return not shifts

    def group_norm(self, node: NodeProto) -> bool:
        """Before opset 21 there is a scale for each group."""
        return self._opset >= 21


_MEANINGS: Mapping[str, Callable[[_Writer, NodeProto], bool]] = {
    "Softmax": _Writer.one_axis,
    "LogSoftmax": _Writer.one_axis,
    "Hardmax": _Writer.one_axis,
    "ScatterElements": _Writer.scatter,
    "ScatterND": _Writer.scatter,
    "Resize": _Writer.resize,
    "QuantizeLinear": _Writer.quantize,
    "DequantizeLinear": _Writer.quantize,
    "GridSample": _Writer.grid_sample,
    "GroupNormalization": _Writer.group_norm,
    "RoiAlign": _Writer.roi_align,
}
"""Handlers for changes beyond attributes, inputs and types. Each returns whether the opset can express the node."""
