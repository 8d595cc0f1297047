"""conv3d with SAME padding skips the first elements where a stride is larger than the kernel, in TensorFlow 2.21.0, CPU.

It is float64, and each type for which oneDNN is not used; nothing is set here. No padding is needed, so the first window
starts at the first element. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

STRIDE = 3


def main():
    row = np.arange(1.0, 7.0)  # 1 to 6, in two steps of three
    truth = row[::STRIDE]
    wrong = False
    for dtype in ("float64", "float32", "float16"):
        x, one = tf.constant(row.reshape(1, 1, 1, 6, 1), dtype), tf.ones([1, 1, 1, 1, 1], dtype)

        def convolve(x, one):
            return tf.nn.conv3d(x, one, strides=[1, 1, 1, STRIDE, 1], padding="SAME")

        eager = convolve(x, one).numpy().ravel()
        compiled = tf.function(convolve, jit_compile=True)(x, one).numpy().ravel()
        flat = tf.nn.conv2d(x[0], one[0], strides=[1, 1, STRIDE, 1], padding="SAME").numpy().ravel()
        print(dtype, "eager", eager.tolist(), "XLA", compiled.tolist(), "conv2d", flat.tolist(), "exact", truth.tolist())
        wrong |= eager.tolist() != truth.tolist()
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
