import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x8, c7):
        v2 = x0 - tf.where(x0 < 0, tf.math.ceil(x0), tf.floor(x0))
        v5 = tf.transpose(tf.linalg.diag(v2, k=0), [0, 1, 2, 3, 4])
        v4 = tf.transpose(v2, perm=[1, 2, 0, 3])
        v6 = tf.reduce_max(v4, axis=[0, 2, 3], keepdims=True)
        v7 = tf.cast(v6, 'int16')
        v12 = tf.linalg.matmul(v6, c7)
        v10 = tf.matmul(tf.linalg.matrix_transpose(v4), x8, transpose_a=True)
        c10 = tf.constant(3.0, dtype=tf.float32, shape=())
        v13 = v10 ** c10
        v16 = tf.math.multiply(v13, 0.044714998453855515)
        return (v5, v7, v12, v16,)
