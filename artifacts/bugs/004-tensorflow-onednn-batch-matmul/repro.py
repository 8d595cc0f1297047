"""tf.linalg.matmul with broadcast batch dimensions reads foreign memory in TensorFlow 2.21.0 on the CPU: oneDNN.

Half of the results are garbage that changes from call to call, and now and then the process dies. Eager mode; XLA and
TF_ENABLE_ONEDNN_OPTS=0 give the right values, and so does 2.15.1. Exits 1 where the bug shows, 0 where it does not, 2
where this could not run.
"""

import os
import subprocess
import sys

if "--child" not in sys.argv:
    done = subprocess.run([sys.executable, __file__, "--child"])
    print("the process died" if done.returncode < 0 else "", end="")
    sys.exit(done.returncode if done.returncode in (0, 2) else 1)

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

a = np.ones((16, 1, 15, 2), np.float32)
b = np.ones((1, 1, 2, 1), np.float32)
for _ in range(20):
    y = tf.linalg.matmul(a, b).numpy()  # every element is 2
    if np.any(y != 2):
        print("not 2 at", int((y != 2).sum()), "of", y.size, "elements, such as", y[y != 2][:4])
        os._exit(1)
