"""tf.pad of a tf.boolean_mask with REFLECT is wrong, in XLA in TensorFlow 2.21.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

def function(x):
    return tf.pad(tf.boolean_mask(x, x > 0), [[1, 2]], "REFLECT")


inputs = [tf.constant([3, -1, 4, -1, -5, 9, 2, -6], tf.float32)]

compiled = tf.function(function, jit_compile=True)
due = [4.0, 3.0, 4.0, 9.0, 2.0, 9.0, 4.0]
eager = function(*inputs).numpy().tolist()
given = compiled(*inputs).numpy().tolist()
print(f"due: {due}, eager: {eager}, XLA: {given}")
sys.exit(not np.array_equal(np.array(given), np.array(due)))
