import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_v17 = tf.identity(arrays["w_1751ac12e70e15b4_2x17_int16"])

    def __call__(self, x0, x1, x4):
        v7 = tf.subtract(x1, x0)
        v8 = tf.abs(v7)
        v10 = tf.cast(tf.argsort(x4, axis=0, direction="ASCENDING", stable=True), tf.int64)
        v2 = x0 - x1
        c7 = tf.constant(1, dtype=tf.int16, shape=())
        v14 = v2 == tf.broadcast_to(c7, (2, 17))
        v15 = tf.cast(v14, tf.float32)
        v11 = tf.round(v15)
        v13, v13_1 = tf.split(x4, [1, 1], axis=0)
        return (v8, v10, v11, self.w_v17, v13, v13_1, v2, v7,)
