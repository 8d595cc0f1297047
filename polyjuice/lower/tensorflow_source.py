"""Graph to TensorFlow source."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from polyjuice.execution import Artifact
from polyjuice.ir import Graph, TensorType
from polyjuice.lower.source import Dialect, write

_HEADER = """\
import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
"""


def _weights(attribute: str, key: str, dtype: str) -> Sequence[str]:
    return [
        f'self.{attribute} = arrays["{key}"]',
        f'self.{attribute} = tf.identity(arrays["{key}"])',
        f'self.{attribute} = tf.Variable(arrays["{key}"], trainable=False)',
    ]


def _filled(t: TensorType, number: str, like: str) -> str:
    return f"tf.constant({number}, dtype=tf.{t.dtype}, shape={t.shape})"


DIALECT = Dialect(
    format="tensorflow",
    title="TensorFlow",
    header=_HEADER,
    method="__call__",
    reserved=frozenset({"tf"}),
    spelling=lambda op: op.tensorflow,
    weights=_weights,
    filled=_filled,
    broadcast="tf.broadcast_to({x}, {shape})",
    decorators=("", "@tf.function", "@tf.function(jit_compile=True)"),
)


#: Chance that the program is compiled for inputs of any sizes.
_DYNAMIC = 0.1


def lower(graph: Graph, rng: random.Random) -> Artifact:
    """The TensorFlow source of a graph. Raises Unlowerable naming the node."""
    dynamic = rng.random() < _DYNAMIC
    artifact = write(graph, rng, DIALECT)
    if not dynamic:
        return artifact
    return replace(artifact, setup={"dynamic": True}, idioms=(*artifact.idioms, "dynamic: True"))
