import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c5 = arrays["w_6c3c396ed6b5c36d_scalar_float64"]

    def __call__(self, x2, x3, c15):
        v4 = x3 > tf.constant(128, tf.uint8)
        v6 = self.w_c5 == x2
        v7, v7_1 = tf.split(x3, [3, 2], axis=3)
        v9 = tf.minimum(tf.maximum(x2, 0.0), 2.0)
        v10, v10_1 = tf.split(v7_1, [3, 2], axis=0)
        v12 = tf.greater(v9, v9)
        v13 = tf.transpose(v7, [4, 2, 1, 0, 3])
        v14 = tf.expand_dims(tf.math.argmax(x3, axis=4, output_type=tf.int64), 4)
        v16 = tf.where(v13 >= c15, v13, c15)
        v17 = tf.multiply(v13, v16)
        return (v4, v6, v10, v10_1, v12, v14, v17, v7_1, v16,)
