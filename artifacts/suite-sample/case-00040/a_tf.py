import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c7 = tf.identity(arrays["w_836173c0bb40bccb_3x3x2_float32"])

    def __call__(self, x1, x5, x9):
        v3 = tf.squeeze(tf.reduce_max(x1, axis=[1], keepdims=True), axis=[1])
        v5 = v3[:, None]
        v4 = tf.subtract(x1, v5)
        v8 = tf.transpose(tf.nn.conv1d(tf.transpose(x5, [0, 2, 1]), tf.transpose(self.w_c7, [2, 1, 0]), [1, 1, 1], "VALID"), [0, 2, 1])
        v10 = tf.constant(3.0, dtype=tf.float32, shape=(3,))
        v12 = tf.constant(4.0, dtype=tf.float32, shape=(3,))
        v11 = tf.transpose(tf.nn.batch_normalization(tf.transpose(v8, [0, 2, 1]), x9, v12, x9, v10, 9.999999747378752e-06), [0, 2, 1])
        v14 = tf.slice(v8, [0, 2, 0], [1, 1, 6])
        v15 = tf.reshape(tf.math.reduce_mean(v14, axis=[2], keepdims=False), (1, 1, 1))
        v18 = tf.subtract(v14, tf.broadcast_to(v15, (1, 1, 6)))
        v19 = tf.math.multiply(v18, v18)
        v16 = tf.math.reduce_mean(v19, axis=[2], keepdims=True)
        return (v4, v11, v16, v18,)
