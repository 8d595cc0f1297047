"""The models that ONNX ships for its tests: whole architectures without weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import GraphProto, ModelProto, TensorProto

LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
SMALL_MODELS = ("squeezenet", "shufflenet")
LARGE_MODELS = (
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "vgg19",
    "zfnet512",
)


def with_random_weights(proto: GraphProto, creators: dict[str, np.ndarray]) -> None:
    """Replace the nodes that make weights in a light model (ConstantOfShape) by initializers."""
    nodes = [node for node in proto.node if node.op_type != "ConstantOfShape"]
    del proto.node[:]
    proto.node.extend(nodes)
    for name, array in creators.items():
        proto.initializer.append(
            TensorProto(dims=array.shape, data_type=TensorProto.FLOAT, raw_data=array.tobytes(), name=name)
        )


def random_weights(proto: GraphProto) -> dict[str, np.ndarray]:
    """Seeded weights that keep activations near 1: matrices scaled by their fan-in, vectors near 1."""
    rng = np.random.default_rng(0)
    sizes = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in proto.initializer}
    weights = {}
    for node in proto.node:
        if node.op_type == "ConstantOfShape":
            shape = tuple(sizes[node.input[0]])
            if len(shape) > 1:
                scale = (2 / np.prod(shape[1:])) ** 0.5
                weights[node.output[0]] = rng.standard_normal(shape, np.float32) * np.float32(scale)
            else:
                weights[node.output[0]] = rng.uniform(0.5, 1.5, shape).astype(np.float32)
    return weights


def run_model(model: ModelProto | str, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    ort = pytest.importorskip("onnxruntime")
    options = ort.SessionOptions()
    options.log_severity_level = 3
    data = model if isinstance(model, str) else model.SerializeToString()
    outputs: list[np.ndarray] = ort.InferenceSession(data, options).run(None, feeds)
    return outputs
