"""Unchanged ONNX models: the graph, opset, attributes, names and initializers of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator

from polyjuice.execution import Artifact
from polyjuice.frameworks import library, symbolic
from polyjuice.frameworks.errors import FormatError
from polyjuice.frameworks.limits import TooLarge, check_value
from polyjuice.frameworks.onnx import graph_files, tensors
from polyjuice.frameworks.onnx import model as onnx_model
from polyjuice.frameworks.onnx.file import load_tensor
from polyjuice.frameworks.onnx.structure import check_structure
from polyjuice.frameworks.symbolic import Sizes
from polyjuice.frameworks.user_model import UserModel, unread
from polyjuice.ir import Graph, TensorType, dtypes

TEST_DATA = "test_data_set_0"
"""The folder of the first set of inputs (``input_0.pb`` and so on), next to the model, as in ONNX's model zoo."""


@dataclass(frozen=True, kw_only=True)
class OnnxModel:
    """A model whose graph depends on the sizes of its inputs. ``where`` is the prefix of messages about it.

    ``examples`` are the user's arrays for its inputs, if any.
    """

    model: ModelProto
    where: str = "model"
    examples: tuple[np.ndarray, ...] | None = None

    @property
    def own(self) -> Sizes | None:
        """The sizes of the examples; None without examples."""
        return None if self.examples is None else symbolic.sizes_of(self.model, self.examples, self.where)

    def at(self, sizes: Sizes) -> UserModel:
        """Return the program with these sizes for its symbols, and examples that fit. Raises FormatError."""
        program = from_model(self.model, self.where, sizes)
        shapes = [t.shape for t in program.graph.input_types]
        return replace(program, examples=None if self.examples is None else symbolic.fitted(self.examples, shapes))


def load_onnx(path: Path) -> OnnxModel:
    """Return the model of an ONNX file, with the inputs in :data:`TEST_DATA` if they fit. Raises FormatError."""
    model = graph_files.load_model(path)
    arrays = _examples(path.parent / TEST_DATA, len(symbolic.inputs(model)))
    return OnnxModel(model=model, where=str(path), examples=arrays if arrays and _takes(model, arrays) else None)


def from_model(
    model: ModelProto,
    where: str = "model",
    sizes: Sizes = MappingProxyType({}),
) -> UserModel:
    """Return the program of a model in memory. Its graph has these ``sizes`` for its symbols, and 1 for missing ones.

    ``where`` is the prefix of messages. Raises FormatError.
    """
    try:
        check_structure(model)
    except FormatError as error:
        raise type(error)(f"{where}: {error}") from None
    artifact = artifact_of(model, sizes)
    assert isinstance(artifact.source, bytes)
    read = symbolic.bound(artifact.source, sizes) if sizes else model
    try:
        return UserModel(graph=graph_files.from_model(read, where), artifact=artifact, sizes=dict(sizes))
    except TooLarge:
        raise
    except FormatError as error:
        if graph := _unread(read):
            return UserModel(graph=graph, artifact=artifact, sizes=dict(sizes))
        raise error from None


def graph_of(artifact: Artifact, inputs: Sequence[np.ndarray]) -> Graph:
    """Return the graph of a model on inputs of these types. Raises FormatError."""
    assert isinstance(artifact.source, bytes)
    model = ModelProto.FromString(artifact.source)
    if len(symbolic.inputs(model)) != len(inputs):
        raise FormatError("the program has other inputs than its graph")
    return from_model(model, sizes=symbolic.sizes_of(model, inputs)).graph


def _unread(model: ModelProto) -> Graph | None:
    """Return the graph of a model that Polyjuice cannot read; None if the IR lacks a value's type. Raises TooLarge."""
    try:
        library.check_valid(model)
        graph = library.inferred(model, strict=True).graph
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [tensors.static_type(i.type, i.name) for i in graph.input if i.name not in constants]
        outputs = [tensors.static_type(o.type, o.name) for o in graph.output]
    except TooLarge:
        raise
    except FormatError:
        return None
    if not all(inputs) or not all(outputs):
        return None
    found = unread(list(filter(None, inputs)), list(filter(None, outputs)))
    for name, type in found.types.items():
        check_value(name, type)
    return found


def _examples(folder: Path, count: int) -> tuple[np.ndarray, ...] | None:
    """Return ``count`` arrays from the folder; None if one is missing. Raises FormatError."""
    files = [folder / f"input_{number}.pb" for number in range(count)]
    return tuple(map(_example, files)) if all(file.is_file() for file in files) else None


def _takes(model: ModelProto, arrays: Sequence[np.ndarray]) -> bool:
    read = ModelProto.FromString(model.SerializeToString())
    try:
        symbolic.bind(read, symbolic.sizes_of(model, arrays))
        types = [tensors.static_type(value.type, value.name) for value in symbolic.inputs(read)]
    except FormatError:
        return False
    return types == [TensorType(dtypes.dtype_of(array), array.shape) for array in arrays]


def _example(file: Path) -> np.ndarray:
    tensor = load_tensor(file)
    try:
        return tensors.to_array(tensor, file.stem)
    except FormatError as error:
        raise FormatError(f"{file}: {error}") from None


def artifact_of(model: ModelProto, sizes: Sizes = MappingProxyType({})) -> Artifact:
    """Return the unchanged model, to be run on inputs with these sizes for its symbols."""
    source = model.SerializeToString(deterministic=True)
    return Artifact(
        format="onnx", source=source, idioms=("as given", *symbolic.described(sizes)), forms=onnx_model.forms_of(model)
    )


def uncompiled(source: bytes, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """Return the outputs of a model by ONNX's reference evaluator; None if the evaluator cannot run it.

    The evaluator reads the model independently. So it distinguishes a compiler bug from a model that Polyjuice
    misreads.
    """
    try:
        evaluator = ReferenceEvaluator(ModelProto.FromString(source))
        constants = {tensor.name for tensor in evaluator.proto_.graph.initializer}
        names = [name for name in evaluator.input_names if name not in constants]
        return tuple(map(np.asarray, evaluator.run(None, dict(zip(names, inputs, strict=True)))))
    except Exception:  # noqa: BLE001 - its operators raise anything where they lack something
        return None
