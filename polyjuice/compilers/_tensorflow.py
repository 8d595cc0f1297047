"""Code that the TensorFlow compilers share: source to a Model, arrays to tensors and back, process settings."""

from __future__ import annotations

import os

# TensorFlow reads these once, at import. The uncompiled run must be a valid reference, so oneDNN is off: its products
# with broadcast batch dimensions are wrong in 2.21 (artifacts/bugs/004). XLA does not use oneDNN.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from . import _source

Array = tuple[str, "np.ndarray[Any, Any]"]

_device = "/CPU:0"


def start(options: dict[str, Any]) -> None:
    """Set the device and the number of threads. Raises RuntimeError where there is no such device."""
    global _device
    threads = int(options.get("threads", os.environ.get("OMP_NUM_THREADS", 2)))
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    gpus = tf.config.list_physical_devices("GPU")
    if options.get("device", "cpu") == "cpu":
        tf.config.set_visible_devices([], "GPU")
        return
    if not gpus:
        raise RuntimeError(f"device cuda: tensorflow {tf.__version__} finds no CUDA device; use --device cpu")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    tf.config.experimental.enable_tensor_float_32_execution(False)  # float32 must mean float32
    _device = "/GPU:0"


class Loaded(NamedTuple):
    """A model, and whether to compile it for inputs of any sizes."""

    model: tf.Module
    dynamic: bool = False


def load(artifact: dict[str, Any]) -> Loaded:
    """Execute the source, and build its `Model` from the arrays."""
    module = _source.module_of(artifact["source"])
    with tf.device(_device):
        model = module.Model({name: tensor(array) for name, array in artifact["arrays"].items()})
    return Loaded(model, **artifact["setup"])


def run(program: Loaded, inputs: Sequence[Array]) -> list[Array]:
    """Call a model eagerly, even where its source asks TensorFlow to compile it."""
    tf.config.run_functions_eagerly(True)
    try:
        return call(program.model, inputs)
    finally:
        tf.config.run_functions_eagerly(False)


def call(function: Callable[..., Any], inputs: Sequence[Array]) -> list[Array]:
    """Call a model, or a function made from one, on fresh copies of the inputs."""
    with tf.device(_device):
        return [to_array(output) for output in function(*[tensor(array) for array in inputs])]


_FLOAT8 = {"float8e4m3fn": "float8_e4m3fn", "float8e5m2": "float8_e5m2"}
"""TensorFlow's names of 8-bit floating-point types."""

_FLOAT8_NAMES = {name: ours for ours, name in _FLOAT8.items()}


def specification(array: Array) -> tf.TensorSpec:
    """The specification of tensors with an array's element type and rank, of any sizes."""
    dtype, values = array
    return tf.TensorSpec([None] * values.ndim, _FLOAT8.get(dtype, dtype))


def tensor(array: Array) -> tf.Tensor:
    """A new tensor that shares no memory with the array."""
    dtype, values = array
    if dtype in _FLOAT8:
        return tf.constant(np.array(values).view(tf.as_dtype(_FLOAT8[dtype]).as_numpy_dtype))
    if dtype in ("int4", "uint4"):
        raise NotImplementedError("TensorFlow has no arrays of 4-bit integers")
    value = tf.constant(np.array(values))
    return tf.bitcast(value, tf.bfloat16) if dtype == "bfloat16" else value


def to_array(value: tf.Tensor) -> Array:
    """The inverse of `tensor`."""
    value = tf.convert_to_tensor(value)
    if value.dtype == tf.bfloat16:
        return "bfloat16", tf.bitcast(value, tf.uint16).numpy()
    if value.dtype.name in _FLOAT8_NAMES:
        return _FLOAT8_NAMES[value.dtype.name], np.asarray(value.numpy()).view(np.uint8)
    return value.dtype.name, np.asarray(value.numpy())
