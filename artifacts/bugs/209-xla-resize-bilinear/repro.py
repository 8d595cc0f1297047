"""tf.image.resize gives a wrong pixel under XLA, in TensorFlow 2.21.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf


def resize(x):
    return tf.image.resize(x, [1, 12], method="bilinear")


x = tf.constant(np.array([0, 0, 1, 0], np.float32).reshape(1, 1, 4, 1))
eager = np.ravel(resize(x)).round(3)
compiled = np.ravel(tf.function(resize, jit_compile=True)(x)).round(3)
print(f"eager:    {eager.tolist()}\ncompiled: {compiled.tolist()}")
sys.exit(not np.allclose(eager, compiled, atol=0.01))
