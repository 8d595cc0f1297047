"""Lower a graph to TensorFlow source, and write TensorFlow in reproducers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyjuice.execution import Artifact
from polyjuice.frameworks.choosers import Chooser, Draws
from polyjuice.frameworks.rendering import Constructors, Rendering, loaded_numpy, nested
from polyjuice.frameworks.request import USUAL, Request
from polyjuice.frameworks.source import Dialect, write
from polyjuice.ir import Graph, TensorType, dtypes, mark


def _weights(attribute: str, key: str, dtype: str) -> Sequence[str]:
    return [
        f'self.{attribute} = arrays["{key}"]',
        f'self.{attribute} = tf.identity(arrays["{key}"])',
        f'self.{attribute} = tf.Variable(arrays["{key}"], trainable=False)',
    ]


def _filled(t: TensorType, number: str, like: str, draws: Draws) -> str:
    if t.dtype in dtypes.NARROW:  # tf.fill does not support these types
        return f"tf.cast(tf.constant({number}, dtype=tf.float32, shape={t.shape}), '{dtypes.framework_name(t.dtype)}')"
    return f"tf.constant({number}, dtype=tf.{t.dtype}, shape={t.shape})"


DIALECT = Dialect(
    format="tensorflow",
    title="TensorFlow",
    imports="import tensorflow as tf\n",
    base="tf.Module",
    method="__call__",
    reserved=frozenset({"tf"}),
    texts=lambda op: op.texts("tensorflow"),
    weights=_weights,
    filled=_filled,
    broadcast="tf.broadcast_to({x}, {shape})",
    decorators=("", "@tf.function", "@tf.function(jit_compile=True)"),
)


SETTINGS: Mapping[str, float] = {"plain": 0.0, "dynamic": 1.0}
"""Settings of whole programs, by name, and how often the compiler does not know the sizes of the inputs."""


def lower(graph: Graph, chooser: Chooser, request: Request = USUAL) -> Artifact:
    dynamic = chooser.about("sizes").chance(SETTINGS.get(request.wanted.setting, request.unknown_sizes), plain=False)
    artifact = write(graph, chooser, DIALECT)
    if not dynamic:
        return artifact
    return replace(artifact, setup={"dynamic": True}, idioms=(*artifact.idioms, "dynamic: True"))


_CONSTRUCTORS = Constructors(
    "tf", "tf.constant({value}, {of}, {shape})", "{}", "", ("float32", "int32", "int64"), range="range"
)


def _written(array: np.ndarray) -> str:
    dtype, elements = dtypes.dtype_of(array), nested(array, 0)
    if dtype in dtypes.NARROW_FLOATS:
        return f"tf.cast(tf.constant({elements}, tf.float32), '{dtypes.framework_name(dtype)}')"
    return _CONSTRUCTORS.written(array, f"tf.{dtype}") or f"tf.constant({elements}, tf.{dtype})"


def _loaded(dtype: str, name: str) -> str:
    if dtype == "bfloat16":
        return f'tf.bitcast(tf.constant(ARRAYS["{name}{mark(dtype)}"]), tf.bfloat16)'
    return f"tf.constant({loaded_numpy(dtype, name)})"


RENDERING = Rendering(
    written=_written,
    loaded=_loaded,
    model="{side}()",
    to_numpy="{output}.numpy()",
    to_single="tf.cast({output}, tf.float32).numpy()",
    type_of="{output}.dtype.name",
    constructors=_CONSTRUCTORS,
)
