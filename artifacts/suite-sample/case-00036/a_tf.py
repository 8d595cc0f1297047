import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x2, x5):
        v3 = tf.reduce_sum(tf.where(tf.math.is_nan(x0), tf.zeros_like(x0), x0), axis=[0], keepdims=True)
        v5 = tf.math.greater(v3, x2)
        v7 = ~v5
        v6 = tf.where(v7, x5, v3)
        v10 = tf.reduce_max(v6, axis=[2], keepdims=True)
        v14 = tf.math.subtract(v6, v10)
        v15 = tf.math.exp(v14)
        v16 = tf.math.reduce_sum(v15, axis=[2], keepdims=True)
        v11 = tf.divide(v15, v16)
        local_1 = tf.reshape(v3[:, :, 0:4], [1, 1, 4])
        v12, v12_1 = tf.reshape(tf.stack([tf.reduce_max(local_1, axis=-1)], axis=-1), [1, 1, 1]), tf.reshape(tf.stack([tf.gather(tf.constant([0, 1, 2, 3], dtype=tf.int64), tf.argmax(local_1, axis=-1))], axis=-1), [1, 1, 1])
        return (v11, v12, v12_1, v6,)
