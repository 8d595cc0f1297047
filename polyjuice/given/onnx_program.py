"""ONNX models as they are: the graph, opset, attributes, names and initializers of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator

from polyjuice import formats
from polyjuice.execution import Artifact
from polyjuice.formats import FormatError, tensors
from polyjuice.given.model import UserModel, unread
from polyjuice.ir import Graph, TensorType, dtypes
from polyjuice.lower import onnx_model

TEST_DATA = "test_data_set_0"
"""Where ONNX's test cases and model zoo keep the first set of inputs, beside the model: ``input_0.pb`` and so on."""


def load_onnx(path: Path) -> UserModel:
    """The program of an ONNX file, with the inputs beside it where there are some that fit. Raises FormatError."""
    program = from_model(formats.load_model(path), str(path))
    return replace(program, examples=_examples(path.parent / TEST_DATA, program.graph))


def from_model(model: ModelProto, where: str = "model") -> UserModel:
    """The program of a model in memory; ``where`` begins the messages. Raises FormatError."""
    try:
        return UserModel(formats.from_model(model, where), artifact_of(model))
    except FormatError as error:
        if graph := _unread(model):
            return UserModel(graph, artifact_of(model))
        raise error from None


def _unread(model: ModelProto) -> Graph | None:
    """The graph of a valid model that Polyjuice cannot read; None where an input or output has no type of the IR."""
    try:
        onnx.checker.check_model(model)
        graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [tensors.static_type(i.type, i.name) for i in graph.input if i.name not in constants]
        outputs = [tensors.static_type(o.type, o.name) for o in graph.output]
    except (ValueError, FormatError, onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return None
    if not all(inputs) or not all(outputs):
        return None
    return unread(list(filter(None, inputs)), list(filter(None, outputs)))


def _examples(folder: Path, graph: Graph) -> tuple[np.ndarray, ...] | None:
    """An array for each input of a graph; None where the folder has none that fit. Raises FormatError."""
    files = [folder / f"input_{number}.pb" for number in range(len(graph.inputs))]
    if not all(file.is_file() for file in files):
        return None
    arrays = tuple(map(_example, files))
    types = [TensorType(dtypes.of_array(array), array.shape) for array in arrays]
    return arrays if types == list(graph.input_types) else None


def _example(file: Path) -> np.ndarray:
    try:
        return tensors.to_array(onnx.load_tensor(str(file)), file.stem)
    except DecodeError:
        raise FormatError(f"{file} holds no tensor") from None
    except FormatError as error:
        raise FormatError(f"{file}: {error}") from None


def artifact_of(model: ModelProto) -> Artifact:
    """The model exactly as it is."""
    source = model.SerializeToString(deterministic=True)
    return Artifact("onnx", source, idioms=("as given",), forms=onnx_model.forms_of(model))


def uncompiled(source: bytes, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
    """The outputs of a model by ONNX's reference evaluator; None where that cannot run it.

    It reads the model by itself, so that it tells a fault of a compiler from a model that Polyjuice misreads.
    """
    try:
        evaluator = ReferenceEvaluator(ModelProto.FromString(source))
        constants = {tensor.name for tensor in evaluator.proto_.graph.initializer}
        names = [name for name in evaluator.input_names if name not in constants]
        return tuple(map(np.asarray, evaluator.run(None, dict(zip(names, inputs, strict=True)))))
    except Exception:  # noqa: BLE001 - its operators raise anything where they lack something
        return None
