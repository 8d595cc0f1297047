import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()

    def __call__(self, x0, x2, x9, x10, x12):
        v6 = tf.math.cos(x0)
        v9 = tf.math.multiply(v6, x2)
        v10 = tf.divide(x2, v9)
        v11 = tf.math.floor(v10)
        v7 = tf.negative(v11)
        v8 = tf.math.softmax(v10, axis=-2)
        v16 = x9 + x10
        v13 = tf.greater(v16, x12)
        v14 = tf.atan(v10)
        return (v7, v8, v13, v14,)
