"""Families of knobs for OpenVINO's CPU plugin: parts that a program uses and that can be switched off by name.

`fusion Convolution+Relu` means operators of a model that run as one node. They stay apart if the value between them is
also an output. `kernel Convolution brgconv_avx2_f32` is the kernel of a node. If the model asks for the reference
kernel, the plugin uses it where the node has one.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import openvino

FAMILIES = ("fusion *", "kernel *")

_NOT_COMPUTED = ("Input", "Output", "Const")
_WITH_REFERENCE = ("Convolution", "Deconvolution", "MatMul", "Pooling", "Softmax")
"""Kinds of nodes that have a reference kernel beside others."""

_REFERENCE = {"name": "primitives_priority", "version": "0", "value": "cpu:ref_any"}


class Node(NamedTuple):
    """A node that runs: its kind, its kernel, and the names and kinds of the model's operators from which it came."""

    kind: str
    kernel: str
    layers: Sequence[str]
    kinds: Sequence[str]

    def __str__(self) -> str:
        return f"{self.kind} ({self.kernel}): {','.join(self.layers)}"

    def parts(self) -> Iterator[str]:
        """The names of the parts that made the node."""
        if len(self.kinds) > 1 and self.kind not in _NOT_COMPUTED:
            yield f"fusion {'+'.join(self.kinds)}"
        if self.kind in _WITH_REFERENCE and not self.kernel.startswith("ref"):
            yield f"kernel {self.kind} {self.kernel}"


def is_member(name: str) -> bool:
    """Whether a name is a family or a member of one."""
    return name.startswith(("fusion ", "kernel "))


def nodes(compiled: openvino.CompiledModel, model: openvino.Model) -> Iterator[Node]:
    """The nodes of a compiled model, in the order in which they run."""
    operators = {op.get_friendly_name(): op.get_type_name() for op in model.get_ordered_ops()}
    for node in compiled.get_runtime_model().get_ordered_ops():
        info = node.get_rt_info()
        kind, kernel, names = (info[key].value for key in ("layerType", "primitiveType", "originalLayersNames"))
        layers = names.split(",")
        yield Node(kind, kernel, layers, [operators[name] for name in layers if name in operators])


def left_out(found: Iterable[Node], off: Collection[str]) -> list[str]:
    """The parts of these nodes that are switched off by name or by family."""
    parts = dict.fromkeys(part for node in found for part in node.parts())
    return [part for part in parts if part in off or part.split(" ")[0] + " *" in off]


def without(model: openvino.Model, found: Iterable[Node], off: Collection[str], scratch: Path) -> openvino.Model:
    """A copy of the model that compiles without some of the parts that made its nodes."""
    apart: set[str] = set()
    plain: set[str] = set()
    for node in found:
        for part in node.parts():
            if part in off:
                (apart if part.startswith("fusion ") else plain).update(node.layers)
    copy = model.clone()
    _separate(copy, apart)
    return _on_reference_kernels(copy, plain, scratch) if plain else copy


def _separate(model: openvino.Model, names: Collection[str]) -> None:
    """Turn the values that these operators pass to each other into outputs."""
    for op in model.get_ordered_ops():
        if op.get_friendly_name() in names:
            readers = [reader.get_node() for output in op.outputs() for reader in output.get_target_inputs()]
            if any(reader.get_friendly_name() in names for reader in readers):
                model.add_outputs(op.outputs())


def _on_reference_kernels(model: openvino.Model, names: Collection[str], scratch: Path) -> openvino.Model:
    """The model with a request for reference kernels in its file: Python cannot set it on an operator."""
    path = scratch / "reference.xml"
    openvino.serialize(model, path, path.with_suffix(".bin"))
    tree = ElementTree.parse(path)
    for layer in tree.iter("layer"):
        if layer.get("name") in names:
            info = layer.find("rt_info")
            ElementTree.SubElement(
                ElementTree.SubElement(layer, "rt_info") if info is None else info, "attribute", _REFERENCE
            )
    tree.write(path)
    return openvino.Core().read_model(path)
