import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c1 = tf.identity(arrays["w_63e92c7f1481c4c3_3x1x2_float16"])
        self.w_c9 = tf.identity(arrays["w_bd9348b984a812f8_15x1x1_int64"])

    def __call__(self, x0):
        v2 = tf.reshape(tf.transpose(tf.reshape(tf.reshape(x0, (-1, 1)) * tf.reshape(self.w_c1, (1, -1)), (5, 32, 5, 3, 1, 2)), [0, 3, 1, 4, 2, 5]), (15, 32, 10))
        v4, v4_1 = (tf.sort(v2, axis=-2, direction="ASCENDING")[:, 4:5], tf.cast(tf.argsort(v2, axis=-2, direction="ASCENDING", stable=True)[:, 4:5], tf.int64))
        v6 = tf.stack([v2, v2, v2], axis=-3)
        v11 = tf.raw_ops.Relu(features=v6)
        v8 = tf.constant(3, dtype=tf.int64, shape=(15, 1, 1))
        v10 = tf.matmul(v8, tf.linalg.matrix_transpose(self.w_c9), transpose_b=True)
        v12 = tf.transpose(v10, perm=[0, 2, 1])
        v13 = tf.raw_ops.AddV2(x=v12, y=v12)
        v14 = tf.math.cos(v6)
        v18 = tf.nn.gelu(v2)
        v15 = tf.math.sign(v18)
        return (v4, v4_1, v11, v13, v14, v15,)
