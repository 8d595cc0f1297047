import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c14 = tf.identity(arrays["w_7a04044da9d2876e_32_float32"])

    def __call__(self, x0, x1, x8, x9, x15, c7):
        v5 = tf.nn.softmax(x0, axis=-3)
        v6 = tf.reverse(v5, axis=[-3, -2, -1])
        v9 = (x0 + c7) / 2
        v10 = ((v9 + tf.broadcast_to(x8, (3, 3, 17))) + x9) / 3
        v15 = tf.math.log(v5)
        v11 = -v15
        v12 = tf.squeeze(tf.raw_ops.Max(input=v11, axis=[0, 1], keep_dims=True), axis=[0, 1])
        v14 = tf.expand_dims(x1, 1) * self.w_c14
        v16 = tf.transpose(tf.nn.conv1d(tf.transpose(v15, [0, 2, 1]), tf.transpose(x15, [2, 1, 0]), [1, 2, 1], "VALID"), [0, 2, 1])
        v17 = tf.math.ceil(x15)
        return (v6, v10, v12, v14, v16, v17, v11,)
