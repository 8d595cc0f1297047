"""An integer divided by a power gives 0, in XLA in TensorFlow 2.21.0 on the CPU, silently.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def differs(what, function, due, *inputs):
    """Print the results without and with XLA, and tell whether the latter is not the one that is due."""
    values = [tf.constant(value) for value in inputs]
    eager = function(*values).numpy()
    compiled = tf.function(function, jit_compile=True)(*values).numpy()
    print(f"{what}: due {due}, eager {eager.tolist()}, XLA {compiled.tolist()}")
    return not np.allclose(compiled, due, rtol=1e-2, equal_nan=True)


def floor_quotient(x, y):
    return x // tf.pow(2, y)


def truncated_quotient(x, y):
    return tf.truncatediv(x, tf.pow(2, y))


def main():
    x, y = np.array([100, -7, 8], np.int32), np.array([1, 1, 3], np.int32)
    wrong = differs("x // 2**y", floor_quotient, [50, -4, 1], x, y)
    return differs("truncatediv(x, 2**y)", truncated_quotient, [50, -3, 1], x, y) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
