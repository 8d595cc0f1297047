"""A transposition by axes counted from the end does not compile, in XLA in TensorFlow 2.21.0 on the CPU.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
try:
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def transpose(x):
    return tf.transpose(x, [-2, -3, 2])


x = tf.reshape(tf.range(24.0), (2, 3, 4))
try:
    print("eager:", transpose(x).shape)
    print("without XLA:", tf.function(transpose)(x).shape)
except Exception as error:
    print("could not run:", error)
    sys.exit(2)
try:
    print("XLA:", tf.function(transpose, jit_compile=True)(x).shape)
except Exception as error:
    print("XLA:", type(error).__name__, next(line for line in str(error).splitlines() if "out of range" in line))
    sys.exit(1)
