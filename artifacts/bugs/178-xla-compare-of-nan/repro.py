"""abs(x) >= 0, exp(x) >= 0 and x * x >= 0 are true of NaN, in XLA in TensorFlow 2.21.0 on the CPU, silently.

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
    x = np.array([np.nan, 1], np.float32)
    functions = {
        "abs(x) >= 0": lambda x: tf.abs(x) >= 0,
        "exp(x) >= 0": lambda x: tf.exp(x) >= 0,
        "x * x >= 0": lambda x: x * x >= 0,
    }
    return any([differs(what, function, [False, True], x) for what, function in functions.items()])


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
