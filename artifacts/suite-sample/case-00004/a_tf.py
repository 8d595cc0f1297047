import tensorflow as tf


class Model(tf.Module):
    def __init__(self, arrays):
        super().__init__()
        self.w_c15 = tf.Variable(arrays["w_3f710ac088db3336_scalar_float64"], trainable=False)

    def __call__(self, x0, x1):
        c2 = tf.constant(4, dtype=tf.int64, shape=())
        v4 = x0 % c2
        v5 = v4 * 4
        v7, v8 = tf.split(x1, [4, 3], axis=3)
        v9 = tf.add(v8, 0.0)
        v10 = tf.math.is_inf(v8)
        v14 = v7[4:6:3, 4:5:2]
        v15 = tf.linalg.matrix_transpose(v14)
        v16 = tf.matmul(v14, tf.linalg.matrix_transpose(v15), transpose_b=True)
        v19 = tf.divide(v16, self.w_c15)
        v17 = tf.math.softmax(v19, axis=3)
        return (v5, v9, v10, v17,)
