import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c14 = tf.Variable(arrays["w_af5570f5a1810b7a_scalar_int64"], trainable=False)

    def __call__(self, x1, x2, x5, x10):
        v3 = tf.math.reduce_max(x2, axis=[0, 2, 3], keepdims=True)
        v4 = tf.maximum(v3, 0)
        v7 = tf.math.reduce_max(v3, axis=[2], keepdims=True)
        v13 = x1 & x5
        v9 = x5 ^ v13
        v12, v12_1 = (tf.sort(x2, axis=-2, direction="ASCENDING")[:, :, 15:16], tf.cast(tf.argsort(x2, axis=-2, direction="ASCENDING", stable=True)[:, :, 15:16], tf.int64))
        v19 = tf.reshape(x10, [7])
        v14 = tf.squeeze(tf.math.reduce_sum(v19, axis=[0], keepdims=True), axis=[0])
        v16 = tf.greater(self.w_c14, x10)
        return (v4, v7, v4, v9, v12, v12_1, v14, v16, v3,)
