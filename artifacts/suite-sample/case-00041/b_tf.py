import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x2, x5):
        v3 = tf.tile(x2, [1, 2])
        v4 = tf.slice(v3, [0, 4], [1, 4])
        v7 = tf.reduce_sum(tf.where(tf.math.is_nan(x0), tf.zeros_like(x0), x0), axis=[0], keepdims=True)
        v8 = tf.slice(v7, [0, 0, 0], [1, 1, 4])
        v9 = tf.math.less(tf.broadcast_to(v4, (1, 1, 4)), v8)
        v10 = tf.logical_not(v9)
        v13 = tf.expand_dims(x5, 0)
        v14 = tf.reduce_max(v13)
        v6 = tf.where(v10, v14, v8)
        v17 = tf.raw_ops.Max(input=v6, axis=[2], keep_dims=True)
        v19 = tf.subtract(v6, tf.broadcast_to(v17, (1, 1, 4)))
        v20 = tf.exp(v19)
        v21 = tf.reduce_sum(v20, axis=[2], keepdims=True)
        v11 = v20 / v21
        local_1 = tf.reshape(v8[:, :, 0:4], [1, 1, 4])
        v12, v25 = tf.reshape(tf.stack([tf.reduce_max(local_1, axis=-1)], axis=-1), [1, 1, 1]), tf.reshape(tf.stack([tf.gather(tf.constant([0, 1, 2, 3], dtype=tf.int64), tf.argmax(local_1, axis=-1))], axis=-1), [1, 1, 1])
        local_2 = tf.reshape(v7[:, :, 0:4], [1, 1, 4])
        v26, v27 = tf.reshape(tf.stack([tf.reduce_max(local_2, axis=-1)], axis=-1), [1, 1, 1]), tf.reshape(tf.stack([tf.gather(tf.constant([0, 1, 2, 3], dtype=tf.int64), tf.argmax(local_2, axis=-1))], axis=-1), [1, 1, 1])
        v28 = tf.transpose(tf.reverse(v27, axis=[-2]), [-2, -3, 2])
        v12_1 = tf.transpose(tf.reverse(v28, axis=[-3]), [-2, -3, 2])
        return (v11, v12, v12_1, v6,)
