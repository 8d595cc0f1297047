import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = tf.Variable(arrays["w_5e478c91d560d796_1x4x4x1_int8"], trainable=False)

    def __call__(self, x0):
        v7, v8, v9, v12 = self.around(x0)
        return (v7, v8, v9, v12,)

    def around(self, x0):
        return self.part(x0)

    @tf.function
    def part(self, x0):
        v1 = tf.nn.relu(x0)
        v2 = tf.maximum(v1, 0)
        c3 = tf.constant(3, dtype=tf.int8, shape=())
        v4 = tf.math.maximum(v2, c3)
        v6 = tf.concat([self.w_c5], axis=0)
        v7 = tf.argmin(v4, axis=3, output_type=tf.int64)
        v8 = tf.where(v6 >= v4, v6, v4)
        v9 = tf.broadcast_to(v4, [2, 4, 4, 4, 2])
        v10 = tf.minimum(v6, 5)
        v11 = tf.maximum(v10, 0)
        v12 = tf.maximum(v11, 5)
        return (v7, v8, v9, v12,)
