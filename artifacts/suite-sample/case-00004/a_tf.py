import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c8 = tf.identity(arrays["w_af5570f5a1810b7a_scalar_float64"])

    def __call__(self, x0, x1):
        c2 = tf.constant(4, dtype=tf.int64, shape=())
        v4 = x0 % c2
        v5 = v4 * 4
        v7, v8 = tf.split(x1, [4, 3], axis=-1)
        v9 = tf.math.add(v8, self.w_c8)
        v10 = tf.math.is_inf(v8)
        v14 = v7[4:6:3, 4:5:2]
        v15 = tf.linalg.matrix_transpose(v14)
        v16 = tf.matmul(tf.linalg.matrix_transpose(v14), v15, transpose_a=True)
        v19 = v16 / 2.0
        v17 = tf.math.softmax(v19, axis=-1)
        return (v5, v9, v10, v17,)
