"""tf.nn.local_response_normalization of float16 does not compile under XLA in TensorFlow 2.21.0: precisions are mixed.

The eager run works. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

x = tf.ones((1, 7, 7, 4), tf.float16)


def model(x):
    return tf.nn.local_response_normalization(x, 1, 1.0, 0.5, 0.75)


print("eager:", model(x).dtype)
try:
    print("XLA:  ", tf.function(model, jit_compile=True)(x).dtype)
except tf.errors.InternalError as error:
    print("XLA:  ", error.message.splitlines()[0][:160])
    sys.exit(1)
