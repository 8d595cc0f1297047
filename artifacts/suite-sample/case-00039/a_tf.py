import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x1, x5, x9, c7):
        v3 = tf.raw_ops.Max(input=x1, axis=[1], keep_dims=False)
        v5 = tf.expand_dims(v3, 1)
        v4 = x1 - tf.broadcast_to(v5, (7, 7))
        v8 = tf.transpose(tf.nn.conv1d(tf.transpose(x5, [0, 2, 1]), tf.transpose(c7, [2, 1, 0]), [1, 1, 1], "VALID"), [0, 2, 1])
        v10 = tf.constant(3.0, dtype=tf.float32, shape=(3,))
        v12 = tf.constant(4.0, dtype=tf.float32, shape=(3,))
        v11 = tf.nn.batch_normalization(v8, tf.reshape(x9, [-1, 1]), tf.reshape(v12, [-1, 1]), tf.reshape(x9, [-1, 1]), tf.reshape(v10, [-1, 1]), 9.999999747378752e-06)
        v14 = tf.slice(v8, [0, 2, 0], [1, 1, 6])
        v15 = tf.raw_ops.Mean(input=v14, axis=[2], keep_dims=True)
        v18 = tf.math.subtract(v14, v15)
        v16, = self.around()(v18)
        return (v4, v11, v16,)

    def around(self):
        def part(v18):
            v19 = v18 * v18
            v16 = tf.reshape(tf.math.reduce_mean(v19, axis=[2], keepdims=False), (1, 1, 1))
            return (v16,)

        return part
