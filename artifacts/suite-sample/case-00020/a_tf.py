import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x1, x2, x5, x10):
        v3 = tf.raw_ops.Max(input=x2, axis=[0, 2, 3], keep_dims=True)
        v4 = tf.maximum(v3, 0)
        v7 = tf.reduce_max(v3, axis=[2], keepdims=True)
        v13 = x1 & x5
        v9 = tf.bitwise.bitwise_xor(x5, v13)
        v12, v12_1 = (tf.sort(x2, axis=2, direction="ASCENDING")[:, :, 15:16], tf.cast(tf.argsort(x2, axis=2, direction="ASCENDING", stable=True)[:, :, 15:16], tf.int64))
        v19 = tf.reshape(x10, [7])
        v14 = tf.reduce_sum(v19, axis=[0], keepdims=False)
        c14 = tf.constant(0, dtype=tf.int64, shape=())
        v16 = c14 > x10
        return (v4, v7, v4, v9, v12, v12_1, v14, v16, v3,)
