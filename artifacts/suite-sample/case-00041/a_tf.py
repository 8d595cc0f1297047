import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x2, x5):
        v3 = tf.reshape(tf.reduce_sum(tf.where(tf.math.is_nan(x0), tf.zeros_like(x0), x0), axis=[0], keepdims=False), (1, 1, 4))
        v5 = tf.math.greater(v3, x2)
        v7 = tf.logical_not(v5)
        v6 = tf.raw_ops.SelectV2(condition=v7, t=x5, e=v3)
        v10 = tf.math.reduce_max(v6, axis=[2], keepdims=True)
        v14 = v6 - tf.broadcast_to(v10, (1, 1, 4))
        v15 = tf.math.exp(v14)
        v16 = tf.math.reduce_sum(v15, axis=[2], keepdims=True)
        v11 = tf.divide(v15, v16)
        local_1 = tf.reshape(v3[:, :, 0:4], [1, 1, 4])
        v12, v12_1 = tf.reshape(tf.stack([tf.reduce_max(local_1, axis=-1)], axis=-1), [1, 1, 1]), tf.reshape(tf.stack([tf.gather(tf.constant([0, 1, 2, 3], dtype=tf.int64), tf.argmax(local_1, axis=-1))], axis=-1), [1, 1, 1])
        return (v11, v12, v12_1, v6,)
