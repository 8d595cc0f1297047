"""TensorFlow 2.21.0 infers a wrong shape for tf.linalg.diag(x, k=1) where the size of x is unknown.

MatrixDiagV3 adds |k| to -1, which stands for the unknown, and says that the matrix has 0 rows. What follows is then
refused, though it runs eagerly. Exits 1 where the bug shows, 0 where it does not, 2 where this could not run. Reduced
by hand from a case of XLA with dynamic shapes.
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

try:
    import tensorflow as tf
except ImportError as error:
    print("could not run:", error)
    sys.exit(2)


def program(x):
    return tf.linalg.diag(x, k=1)


traced = tf.function(program, input_signature=[tf.TensorSpec([None])], autograph=False).get_concrete_function()
x = tf.ones([7])
print("eager   ", program(x).shape)
print("inferred", traced.output_shapes)
print("traced  ", traced(x).shape)
sys.exit(0 if traced.output_shapes.is_compatible_with(program(x).shape) else 1)
