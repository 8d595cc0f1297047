"""A result of unknown size that is returned twice has a foreign shape under XLA, in TensorFlow 2.21.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf


def places(x):
    y = tf.where(x > 0)
    return y, y


x = tf.constant([1, 0, 2])
eager = [y.shape.as_list() for y in places(x)]
compiled = tf.function(places, jit_compile=True)
shapes = [[y.shape.as_list() for y in compiled(x)] for _ in range(3)]
print(f"eager: {eager}, compiled, three times: {shapes}")
sys.exit(shapes != [eager] * 3)
