"""A cumulative sum of a padded axis of size 1 gives its only value everywhere, in XLA in TensorFlow 2.21.0 on the CPU.

So does an average pooling with SAME padding, silently.

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


def cumsum(x):
    return tf.cumsum(tf.pad(x, [[0, 0], [1, 1]]), axis=1)


def pooled(x):
    return tf.nn.avg_pool2d(tf.pad(x, [[0, 0], [0, 0], [1, 1], [0, 0]]), (1, 2), 1, "SAME")[0, :, :, 0]


def main():
    x = np.array([[2], [3]], np.float32)
    wrong = differs("cumsum of a padded column", cumsum, [[0, 2, 2], [0, 3, 3]], x)
    due = [[1, 1, 0], [1.5, 1.5, 0]]
    return differs("average of a padded column", pooled, due, x.reshape(1, 2, 1, 1)) or wrong


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
