"""tf.matmul of a tensor whose batch axes are permuted does not compile, under XLA in TensorFlow 2.21.0 on the CPU.

float16 aborts the process, so that each element type has a process of its own. Exits 1 where the bug shows, 0 where it
does not, 2 where this could not run.
"""

import os
import subprocess
import sys

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
try:
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def product(x):
    y = tf.transpose(x, [1, 2, 0, 3, 4])
    return tf.matmul(y, y)


if len(sys.argv) > 1:
    x = tf.ones((2, 3, 2, 2, 2), sys.argv[1])
    print(product(x).shape, tf.function(product, jit_compile=True)(x).shape)
    sys.exit(0)

ended = {}
for dtype in ("float16", "bfloat16", "float32", "float64"):
    done = subprocess.run([sys.executable, __file__, dtype], capture_output=True, text=True, timeout=240)
    ended[dtype] = done.returncode
    print(f"{dtype:8} {done.stdout.strip() or f'the process ended with status {done.returncode}'}")
sys.exit(int(any(ended.values())))
