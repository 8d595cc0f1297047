import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x1, x5, x11, x13, x15, c13):
        v3 = tf.multiply(x1, x1)
        v9 = x5 * 2
        v10 = tf.raw_ops.Max(input=v9, axis=[0, 1, 2], keep_dims=False)
        v12 = tf.concat([x13, x15], axis=1)
        v17 = tf.reshape(tf.raw_ops.Mean(input=v12, axis=[1], keep_dims=False), (4, 1))
        v19 = tf.truncatediv(v9, c13)
        v15 = tf.expand_dims(x0, 1) * x11
        v16 = tf.transpose(v15, [0, 1])
        v20 = tf.raw_ops.Sum(input=v16, axis=[0], keep_dims=True)
        v22 = tf.reshape(x13, [4, 1, 2])
        return (v3, v10, v17, v19, v20, v22,)
