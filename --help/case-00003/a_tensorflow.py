import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c4 = arrays["w_7c9fa136d4413fa6_scalar_int64"]
        self.w_c10 = tf.Variable(arrays["w_0f9e0aa006f3782e_2_float32"], trainable=False)

    def __call__(self, x0, x1, x3, x8, x9, x15, x17, x20):
        v2 = tf.reshape(x1, [])
        v5 = tf.gather(x3, tf.math.floormod(self.w_c4, 2), axis=1)
        local_1 = x8
        local_2 = tf.nn.moments(local_1, [2], keepdims=True)
        local_3 = tf.nn.moments(local_1, [2], keepdims=True)
        v11 = tf.nn.batch_normalization(local_1, local_2[0], local_3[1], tf.reshape(self.w_c10, [-1, 1]), tf.reshape(x9, [-1, 1]), 9.999999747378752e-06)
        v12 = v11[:, :, 3::-3]
        v13 = v12[:, :, 0:2]
        v14 = tf.squeeze(tf.reduce_sum(tf.abs(x0), axis=[0, 1], keepdims=True), axis=[0, 1])
        v16 = tf.matmul(x8, tf.linalg.matrix_transpose(x15), transpose_b=True)
        v18 = tf.nn.relu(v16) + x17 * tf.minimum(v16, 0)
        v19 = tf.add(v13, v13)
        v21 = tf.matmul(v5, tf.linalg.matrix_transpose(x20), transpose_b=True)
        return (v2, v14, v18, v19, v21, v11,)
