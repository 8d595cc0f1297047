import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x1, x6, x7, x12):
        v4 = tf.reshape(x1, [2, 8, 1, 1, 40])
        v5 = tf.reduce_sum(tf.abs(v4), axis=[1, 2], keepdims=True)
        v7 = x6 + x7
        v9 = tf.cast(v7, 'int64')
        v10 = tf.reshape(tf.raw_ops.Max(input=x1, axis=[2], keep_dims=False), (32, 5, 1))
        v11 = tf.raw_ops.Mean(input=v10, axis=[2], keep_dims=True)
        v12 = v11[:, None, :, :]
        v13 = tf.linalg.matrix_transpose(x12)
        v14 = tf.linalg.matmul(v12, v13)
        c13 = tf.constant(8.0, dtype=tf.float32, shape=())
        v16 = v14 / c13
        return (v5, v9, v16,)
