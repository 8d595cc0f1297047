"""reduce_max of NaN gives a number under XLA in TensorFlow 2.21.0 on the CPU, where eager gives NaN.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

wrong = False
x = tf.constant([np.nan, 1, 3, 2], tf.float32)
for function in (tf.reduce_max, tf.reduce_min):
    due, given = function(x).numpy(), tf.function(function, jit_compile=True)(x).numpy()
    print(f"{function.__name__}: uncompiled {due}, XLA {given}")
    wrong |= not np.array_equal(due, given, equal_nan=True)
sys.exit(int(wrong))
