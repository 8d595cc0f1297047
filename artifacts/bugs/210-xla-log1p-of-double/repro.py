"""log1p of float64 is off by 128 units in the last place under XLA, in TensorFlow 2.21.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

sys.excepthook = lambda *error: sys.exit(sys.__excepthook__(*error) or 2)  # 2: this script could not run
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

x = tf.constant(-0.4142, tf.float64)
eager = tf.math.log1p(x).numpy()
compiled = tf.function(tf.math.log1p, jit_compile=True)(x).numpy()
off = abs(eager - compiled) / np.spacing(abs(eager))
print(f"eager: {eager!r}, compiled: {compiled!r}, off by {off:.0f} units in the last place")
sys.exit(bool(off > 8))
