"""xla 2.21.0: min failed in compile: InternalError: during context [Unknown]: Seen floating point
types of different precisions in %LRN.23 = f32[1,1,1,1]{3,2,1,0} multiply(%LRN.22, %LRN.19),
metadata={op_type="LRN" op_name="LRN" source_file="tensorflow/python/framework/ops.py"
source_line=1221}, but mixed precision is disallowed. [Op:__inference_<lambda>_200]

A does not compile and run.
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

x0 = tf.constant([[[[0]]]], tf.float16)


def prepare(model, inputs, dynamic=False, level="3"):
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=" + level
    signature = [tf.TensorSpec([None] * x.ndim, x.dtype) for x in inputs] if dynamic else None
    compiled = tf.function(lambda *x: model(*x), signature, jit_compile=True, autograph=False)
    return lambda: compiled(*inputs)


class A(tf.Module):
    def __call__(self, x0):
        v0 = tf.transpose(tf.nn.local_response_normalization(tf.transpose(x0, [0, 2, 3, 1]), depth_radius=0, bias=1.0, alpha=0.0001, beta=0.75), [0, 3, 1, 2])
        return (v0,)


try:
    prepare(A(), [x0])()
except Exception as error:
    print("the compiler failed:", type(error).__name__, str(error)[:2000])
    sys.exit(1)
print("the compiler did not fail")
sys.exit(0)
