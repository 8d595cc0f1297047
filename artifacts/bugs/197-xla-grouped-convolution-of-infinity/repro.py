"""An infinity in one group of a convolution of float64 makes all groups NaN, under XLA in TensorFlow 2.21.0.

Each channel of a depthwise convolution depends on one channel of the image. ConvolutionGroupConverter makes it a
convolution of all channels whose other weights are 0, and 0 times infinity is NaN. Exits 1 where the bug shows, 0 where
it does not, 2 where this could not run. Reduced by hand from a finding.
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


def depthwise(x):
    return tf.nn.depthwise_conv2d(x, tf.ones((1, 1, 3, 1), x.dtype), [1, 1, 1, 1], "SAME")


wrong = False
for dtype in (tf.float32, tf.float64):
    x = tf.constant([[[[np.inf, 1, 2]]]], dtype)
    due = depthwise(x).numpy()
    given = tf.function(depthwise, jit_compile=True)(x).numpy()
    print(f"{dtype.name}: uncompiled {due.ravel().tolist()}, XLA {given.ravel().tolist()}")
    wrong |= not np.array_equal(due, given)
sys.exit(int(wrong))
