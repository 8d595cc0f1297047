"""A batched matrix product of unknown sizes that do not fit is computed without an error, in XLA of TensorFlow 2.21.0.

Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def outcome(x, y, jit_compile, known):
    """The result of x @ y, or the first line of the error that is due."""
    types = [tf.TensorSpec(t.shape if known else [None] * t.shape.rank, t.dtype) for t in (x, y)]
    try:
        product = tf.function(tf.matmul, types, jit_compile=jit_compile)
        return product(x, y).numpy().tolist()
    except (ValueError, tf.errors.OpError) as error:
        return f"error ({type(error).__name__})"


def main():
    wrong = False
    for rank, other in ((2, 2), (3, 2), (3, 3)):
        x, y = tf.ones([1] * (rank - 1) + [4]), tf.ones([1] * (other - 2) + [6, 3])
        print(f"{x.shape} @ {y.shape}")
        for known in (True, False):
            for jit_compile in (False, True):
                found = outcome(x, y, jit_compile, known)
                print(f"  {'known' if known else 'unknown'} sizes, {'XLA' if jit_compile else 'eager'}:", found)
                wrong |= jit_compile and not str(found).startswith("error")
    return int(wrong)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
