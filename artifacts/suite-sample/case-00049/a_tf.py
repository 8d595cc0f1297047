import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c3 = arrays["w_bf9390ffabbb4e81_33x4_float16"]

    def __call__(self, x0, x2, c10):
        v1 = x0 >= x0
        v4 = tf.tensordot(x2, self.w_c3, axes=1)
        v5 = tf.clip_by_value(v4, 0.0, 6.0)
        v7 = tf.expand_dims(v5, 0)
        v13 = tf.raw_ops.Relu(features=v5)
        v9 = tf.clip_by_value(v5, -2.0, -1.0)
        v10 = tf.clip_by_value(v9, -3.0, 0.0)
        v15 = tf.concat([c10, v10[:, 1:]], axis=1)
        return (v1, v7, v13, v15,)
