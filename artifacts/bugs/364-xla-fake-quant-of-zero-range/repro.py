"""fake_quant_with_min_max_vars gives NaN where min and max are 0, in XLA in TensorFlow 2.21.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

def function(x, low, high):
    return tf.quantization.fake_quant_with_min_max_vars(x, low, high)


inputs = [tf.constant([-1, 0, 0.5, 3]), tf.constant(0.0), tf.constant(0.0)]

compiled = tf.function(function, jit_compile=True)
due = [0.0, 0.0, 0.0, 0.0]
eager = function(*inputs).numpy().tolist()
given = compiled(*inputs).numpy().tolist()
print(f"due: {due}, eager: {eager}, XLA: {given}")
sys.exit(not np.array_equal(np.array(given), np.array(due)))
