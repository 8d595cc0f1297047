"""TensorFlow modules that tests import. Only ``library`` imports this file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import tensorflow as tf

COUNT = tf.Variable(0.0)


class Everything(tf.Module):
    """A variable that an inner function reads, a large constant, a loop, a branch, operations with several results."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = tf.Variable([0.5, 2.0, 1.0, 3.0], name="scale")
        self.table = np.arange(32, dtype=np.float32).reshape(4, 8)

    @tf.function
    def scaled(self, x: Any) -> Any:
        return x * self.scale, x + float("inf")

    def __call__(self, x: Any, more: Any) -> Any:
        y, infinite = self.scaled(x)
        for _ in tf.range(tf.shape(more["n"])[0]):
            y += 1.0
        y = -y if tf.reduce_sum(x) > 0 else y
        best = tf.math.top_k(y, 2)
        tf.debugging.assert_less(tf.reduce_sum(y), 1e6, "too large")
        return {"best": best, "infinite": infinite}, tf.split(y @ self.table, 2, axis=1), more["n"]
