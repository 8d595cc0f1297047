"""A bilinear resize to three times the size takes some rows from the wrong place, in XLA of TensorFlow 2.21.0, CPU.

A ramp of four rows becomes twelve. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run.
"""

import os
import sys
from fractions import Fraction

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
try:
    import numpy as np
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)

ROWS, LARGER = 4, 12


def resize(image):
    return tf.image.resize(image, [LARGER, 1], method="bilinear")


def exact(i):
    """The image is a ramp, so a sample has the value of its place, kept between the first row's and the last's."""
    place = (Fraction(i) + Fraction(1, 2)) * Fraction(ROWS, LARGER) - Fraction(1, 2)
    return float(min(max(place, Fraction(0)), Fraction(ROWS - 1)))


def main():
    x = np.arange(ROWS, dtype=np.float32).reshape(1, ROWS, 1, 1)
    truth = np.array([exact(i) for i in range(LARGER)])
    eager = resize(tf.constant(x)).numpy().ravel()
    compiled = tf.function(resize, jit_compile=True)(tf.constant(x)).numpy().ravel()
    print("exact", [round(float(y), 3) for y in truth])
    print("eager", [round(float(y), 3) for y in eager])
    print("XLA  ", [round(float(y), 3) for y in compiled])
    if np.abs(eager - truth).max() > 1e-3:
        print("eager is wrong as well")
    return int(np.abs(compiled - truth).max() > 1e-3)


try:
    status = main()
except Exception as error:
    print("could not run:", error)
    status = 2
sys.exit(status)
