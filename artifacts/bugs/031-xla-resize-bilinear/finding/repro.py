"""xla 2.21.0: output 0 (float32[1, 1, 12, 1]): min is off by 8.4e+05 times its error bound at 1 of 12
elements ([0, 0, 4, 0]); at [0, 0, 4, 0] it gives 1, and float64 0

A, compiled, gives other results than in float64.
Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import sys


def could_not_run(kind, error, trace):
    """Any error but the one that this is about."""
    sys.__excepthook__(kind, error, trace)
    print("could not run:", error)
    sys.exit(2)


sys.excepthook = could_not_run

import numpy as np
import os
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

x0 = tf.constant([[[[0], [0], [1], [0]]]], tf.float32)


def prepare(model, inputs, dynamic=False, level="3"):
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=" + level
    signature = [tf.TensorSpec([None] * x.ndim, x.dtype) for x in inputs] if dynamic else None
    compiled = tf.function(lambda *x: model(*x), signature, jit_compile=True, autograph=False)
    return lambda: compiled(*inputs)


class A(tf.Module):
    def __call__(self, x0):
        v0 = tf.transpose(tf.image.resize(tf.transpose(x0, [0, 2, 3, 1]), [12, 1], method="bilinear"), [0, 3, 1, 2])
        return (v0,)


def output(run):
    """Of the second run: in some compilers the first writes over what the second needs."""
    run()
    return run()[0].numpy()


def gap(x, y):
    """|x - y|; infinite where just one is a NaN, 0 where they are equal."""
    same = (x == y) | ((x != x) & (y != y))
    difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, np.maximum(difference, 1e-300)))


expected = np.array([
    [
        [
            [0],
            [0],
            [0],
            [0],
            [0],
            [0.33333333333333326],
            [0.6666666666666667],
            [1],
            [0.6666666666666665],
            [0.3333333333333335],
            [0],
            [0],
        ],
    ],
], np.float64)  # in float64
allowed = np.array([
    [
        [
            [np.inf],
            [np.inf],
            [np.inf],
            [np.inf],
            [2.4e-06],
            [np.inf],
            [np.inf],
            [np.inf],
            [np.inf],
            [np.inf],
            [np.inf],
            [np.inf],
        ],
    ],
], np.float64)  # twice the error bounds of what is compared; infinite where a difference tells nothing

a = output(prepare(A(), [x0]))

difference = gap(a, expected)
wrong = difference > allowed
print("A (min):", a.ravel())
print("float64:", expected.ravel())
print("differ at", int(wrong.sum()), "of", wrong.size, "elements, by up to", difference[wrong].max(initial=0.0))
sys.exit(1 if wrong.any() else 0)
