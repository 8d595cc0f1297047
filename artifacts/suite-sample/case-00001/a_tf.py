import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c1 = tf.Variable(arrays["w_63e92c7f1481c4c3_3x1x2_float16"], trainable=False)
        self.w_c9 = tf.identity(arrays["w_bd9348b984a812f8_15x1x1_int64"])
        self.w_v8 = tf.Variable(arrays["w_d30f23b9653ac693_15x1x1_int64"], trainable=False)

    def __call__(self, x0):
        v2 = tf.reshape(tf.transpose(tf.reshape(tf.reshape(x0, (-1, 1)) * tf.reshape(self.w_c1, (1, -1)), (5, 32, 5, 3, 1, 2)), [0, 3, 1, 4, 2, 5]), (15, 32, 10))
        v4, v4_1 = (tf.sort(v2, axis=-2, direction="ASCENDING")[:, 4:5], tf.cast(tf.argsort(v2, axis=-2, direction="ASCENDING", stable=True)[:, 4:5], tf.int64))
        v6 = tf.stack([v2, v2, v2], axis=-3)
        v11 = tf.raw_ops.Relu(features=v6)
        v10 = tf.matmul(tf.linalg.matrix_transpose(self.w_v8), self.w_c9, transpose_a=True)
        v12 = tf.transpose(v10, [0, 2, 1])
        v13 = tf.raw_ops.AddV2(x=v12, y=v12)
        v14 = tf.math.cos(v6)
        v18 = tf.nn.gelu(v2)
        v15 = tf.sign(v18)
        return (v4, v4_1, v11, v13, v14, v15,)
