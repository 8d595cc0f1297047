import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x1):
        c2 = tf.constant(21, dtype=tf.int32, shape=())
        v5 = tf.bitwise.right_shift(x0, c2)
        c5 = tf.constant(-2, dtype=tf.int64, shape=())
        v4 = tf.gather(v5, tf.math.floormod(c5, 3), axis=3)
        v7 = tf.cast(v5, tf.int16)
        v12 = x1[8:18]
        v14 = tf.concat([v12, v12], 0)
        v9 = tf.slice(v14, [2], [11])
        v16 = tf.reduce_max(v14)
        v10 = tf.zeros_like(v16)
        v11 = tf.reshape(v12, [1, 10])
        v13 = tf.math.reduce_min(v14, axis=[0], keepdims=True)
        return (v4, v7, v9, v10, v11, v13, v16,)
