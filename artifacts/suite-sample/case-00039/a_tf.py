import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c1 = tf.identity(arrays["w_75772a0893beeee9_1x3x3_float64"])
        self.w_c5 = arrays["w_600eb51707ad3d0a_3_float64"]

    def __call__(self, x1):
        v3 = x1 == self.w_c1
        v4 = ~v3
        v7 = tf.raw_ops.SelectV2(condition=v4, t=x1, e=tf.broadcast_to(self.w_c5, (15, 1, 3, 3)))
        v8 = tf.cast(v7, 'float32')
        v9 = tf.cast(v8, tf.int32)
        v13 = tf.cast(v9, tf.int16)
        c11 = tf.constant(1, dtype=tf.int16, shape=())
        v15 = tf.math.subtract(v13, c11)
        v16 = tf.math.cumprod(x1, axis=-2)
        v18 = tf.raw_ops.Relu(features=v16)
        v17 = tf.negative(v18)
        return (v15, v17, v13,)
