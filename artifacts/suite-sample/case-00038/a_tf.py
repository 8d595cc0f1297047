import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c1 = arrays["w_75772a0893beeee9_1x3x3_float64"]
        self.w_c5 = arrays["w_600eb51707ad3d0a_3_float64"]
        self.w_c11 = tf.Variable(arrays["w_47dc540c94ceb704_scalar_int16"], trainable=False)

    def __call__(self, x1):
        v3 = tf.equal(x1, tf.broadcast_to(self.w_c1, (15, 1, 3, 3)))
        v4 = ~v3
        v7 = tf.where(v4, x1, self.w_c5)
        v8 = tf.cast(v7, tf.float32)
        v9 = tf.cast(v8, 'int32')
        v13 = tf.cast(v9, 'int16')
        v15 = tf.subtract(v13, self.w_c11)
        v16 = tf.math.cumprod(x1, axis=2)
        v18 = tf.maximum(v16, 0)
        v17 = -v18
        return (v15, v17, v13,)
