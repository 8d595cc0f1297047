"""A square of integers that wraps around is taken for not negative, in XLA in TensorFlow 2.21.0 on the CPU, silently.

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


def main():
    wrong = differs("50000 * 50000 < 0", lambda i: i * i < 0, [True], np.array([50000], np.int32))
    wrong |= differs("abs(i * i)", lambda i: tf.abs(i * i), [1794967296], np.array([50000], np.int32))
    return differs("abs(-2**31) < 0", lambda i: tf.abs(i) < 0, [True], np.array([-(2**31)], np.int32)) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
