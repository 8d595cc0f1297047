"""A matmul of two transposes that rotate three batch dimensions does not compile, in XLA in TensorFlow 2.21.0, CPU.

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


def product(x, y):
    return tf.transpose(x, (1, 2, 0, 3, 4)) @ tf.transpose(y, (1, 2, 0, 3, 4))


def main():
    x, y = tf.ones((2, 3, 4, 5, 6)), tf.ones((2, 3, 4, 6, 7))
    print("eager:", product(x, y).shape)
    print("graph:", tf.function(product)(x, y).shape)
    try:
        print("XLA:", tf.function(product, jit_compile=True)(x, y).shape)
    except tf.errors.InternalError as error:
        print("XLA:", str(error).splitlines()[0][:200])
        return True
    return False


try:
    status = int(main())
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
