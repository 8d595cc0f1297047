"""abs(x * x) of integers that wrap is negative, under XLA in TensorFlow 2.21.0 on the CPU.

algsimp removes Abs, because it takes a square for positive. Exits 1 where the bug shows, 0 where it does not, 2 where
this could not run.
"""

import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def abs_of_square(x):
    return tf.abs(x * x)


wrong = False
for dtype, number in ((tf.int32, 46341), (tf.int8, 12)):
    x = tf.constant(number, dtype)
    due, given = abs_of_square(x).numpy(), tf.function(abs_of_square, jit_compile=True)(x).numpy()
    print(f"{dtype.name}: uncompiled {due}, XLA {given}")
    wrong |= bool(due != given)
sys.exit(int(wrong))
