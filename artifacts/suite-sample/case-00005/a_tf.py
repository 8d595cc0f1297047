import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x1, x3, x7, x10):
        v4 = tf.transpose(tf.nn.conv1d(tf.transpose(x1, [0, 2, 1]), tf.transpose(x3, [2, 1, 0]), [1, 3, 1], "SAME"), [0, 2, 1])
        v7 = tf.math.abs(x3)
        v9 = v7 + x10
        v12 = v9 + x3
        v8, v13, v15 = self.around(v4, x7)
        return (v8, v12, v15, v13,)

    @tf.function
    def around(self, v4, x7):
        return self.part(v4, x7)

    def part(self, v4, x7):
        v5 = tf.transpose(tf.nn.max_pool1d(tf.transpose(tf.pad(v4, [[0, 0], [0, 0], [1, 1]], constant_values=float("-inf")), [0, 2, 1]), [2], [1], "VALID"), [0, 2, 1])
        v8 = tf.concat([v5, x7], axis=0)
        v11 = tf.transpose(v5)
        v13 = tf.math.log_softmax(v11, axis=0)
        v16 = tf.negative(v13)
        v15 = tf.expand_dims(tf.argmin(v16, axis=2, output_type=tf.int64), 2)
        return (v8, v13, v15,)
