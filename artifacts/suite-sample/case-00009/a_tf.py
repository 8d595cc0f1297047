import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c6 = tf.identity(arrays["w_7204951b1d1b4eb0_16x33_int32"])
        self.w_c15 = arrays["w_a96982748582ddc4_1x16x1x33_int32"]

    def __call__(self, x0, x1, x6, x9, x11):
        v2 = tf.clip_by_value(x1, -3.0, 0.0)
        v8 = tf.math.mod(x0, self.w_c6)
        v9 = tf.tensordot(x9, x9, axes=0) + 0.30000001192092896 * x6
        local_1 = tf.reshape(v9, [16, 4, 4])
        local_2 = tf.nn.moments(local_1, [2], keepdims=True)
        local_3 = tf.nn.moments(local_1, [2], keepdims=True)
        v12 = tf.reshape(tf.nn.batch_normalization(local_1, local_2[0], local_3[1], tf.reshape(x11, [4, 4]), tf.reshape(x9, [4, 4]), 9.999999747378752e-06), [16, 16])
        v11 = tf.transpose(x0, [0, 1])
        v13 = tf.experimental.numpy.moveaxis(v11, [0], [0])
        v14 = tf.experimental.numpy.moveaxis(v13, [0], [1])
        v18 = tf.reshape(v11, [1, 16, 33, 1])
        v15 = tf.squeeze(v18, axis=[0, 3])
        v17 = v18 @ self.w_c15
        return (v2, v8, v12, v14, v15, v17,)
