"""tf.math.in_top_k is true of a label that is out of range, in XLA in TensorFlow 2.21.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

def function(labels, logits):
    return tf.math.in_top_k(labels, logits, 1)


inputs = [tf.constant([-1, 0]), tf.constant([[-1.0, -2.0, -3.0], [-1.0, -2.0, -3.0]])]

compiled = tf.function(function, jit_compile=True)
due = [False, True]
eager = function(*inputs).numpy().tolist()
given = compiled(*inputs).numpy().tolist()
print(f"due: {due}, eager: {eager}, XLA: {given}")
sys.exit(not np.array_equal(np.array(given), np.array(due)))
