"""x / y / z gives 0 where y * z overflows, in XLA in TensorFlow 2.21.0 on the CPU, silently.

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
    x, y, z = (np.array([value], np.float16) for value in (1000, 300, 300))
    wrong = differs("1000 / 300 / 300 of float16", lambda x, y, z: x / y / z, [0.01111], x, y, z)
    wrong |= differs("300 / (300 / 300) of float16", lambda x, y, z: x / (y / z), [300], y, y, y)
    x, y = np.array([1e38], np.float32), np.array([1e25], np.float32)
    return differs("1e38 / 1e25 / 1e25 * 1e12", lambda x, y, z: x / y / z * 1e12, [1], x, y, y) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
